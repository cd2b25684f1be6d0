"""`forestgomp serve`: programs that have their PUs from a server, hostile clients, and a server that dies, hangs or comes back."""
import contextlib
import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import time

from test_top import FORESTGOMP, await_line, board, needs_two, program, running
from testing import BUILD, LIMIT, Missing, clean_environment, complains, expect, forestgomp

NAME = "forestgomp-server"
MESSAGE = struct.Struct("<IHHIIHHHHIIIIQ16s16Q")  # share/message.h
MAGIC, VERSION = 0x53474646, 1
REQUEST, LEAVE, ASK, REPLY, TABLE = range(1, 6)
CLONE_NEWNS = 0x20000


@contextlib.contextmanager
def serving(env, *words, user=None):
    """A server that listens. It ends without a complaint, and leaves no socket."""
    server = subprocess.Popen([FORESTGOMP, "serve", *words], env={**clean_environment(), **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, user=user)
    try:
        server.said = server.stdout.readline()
        server.files = files(server)  # without a client
        expect("serves" in server.said, f"it does not serve: {server.stderr.read() if not server.said else server.said}")
        yield server
        if server.poll() is None:
            server.send_signal(signal.SIGCONT)
            server.terminate()
            said = server.communicate(timeout=LIMIT / 5)
            expect(server.returncode == 0 and not said[1], f"{server.returncode}, {said}")
            expect(not pathlib.Path(server.said.split(" at ")[1].strip()).exists(), "a socket is left")
    finally:
        server.kill()
        server.communicate()


@contextlib.contextmanager
def two_pus():
    """The processes of this test have two PUs, or one, however many the machine has."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:2])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def place():
    with board() as env, two_pus():
        yield {**env, "FGOMP_SHARE": "server"}


def held(env):
    result = forestgomp("serve", "--status", "--json", env=env)
    expect(result.returncode == 0 and not result.stderr, str(result))
    return json.loads(result.stdout)


def until(env, holds):
    """Asks until what the server holds is as it should be."""
    end = time.monotonic() + LIMIT / 5
    while True:
        found = held(env)
        if holds({client["pid"]: client for client in found["clients"]}):
            return
        expect(time.monotonic() < end, f"the server holds {found}")
        time.sleep(0.01)


def message(kind, sequence=1, region=1, optimal=1, most=2, demand=2000, weight=1024, magic=MAGIC, version=VERSION, cpus=2**64 - 1):
    pus = 0
    return MESSAGE.pack(magic, version, kind, sequence, region, optimal, most, pus, 0, demand, weight, 0, 0, 0, bytes(16), cpus, *[0] * 15)


def connected(env):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect(os.path.join(env["XDG_RUNTIME_DIR"], NAME))  # it waits where many have connected
    client.settimeout(LIMIT / 5)
    return client


def heard(client, sequence):
    """The server answers, so it has accepted the connection."""
    client.send(message(REQUEST, sequence=sequence))
    while True:  # replies that nobody asked for have the sequence of the last one
        reply = MESSAGE.unpack(client.recv(1 << 17))
        expect(reply[:3] == (MAGIC, VERSION, REPLY) and reply[7] >= 1, str(reply))
        if reply[3] == sequence:
            return


def is_closed(client):
    """The server closes the connection, after any replies."""
    try:
        while client.recv(1 << 17):
            pass
    except ConnectionResetError:
        pass
    return True


def files(server):
    return len(os.listdir(f"/proc/{server.pid}/fd"))


def settled(server, clients):
    """The server has a file for each client, and none beside."""
    wanted = server.files + clients
    end = time.monotonic() + LIMIT / 5
    while files(server) != wanted:
        expect(time.monotonic() < end, f"the server has {files(server)} files, and should have {wanted}")
        time.sleep(0.01)


def test_serve_wrong_calls():
    complains(forestgomp("serve", "--staus"), 2, "--staus", "did you mean '--status'")
    complains(forestgomp("serve", "5"), 2, "what is '5'")
    complains(forestgomp("serve", "--json"), 2, "--json belongs to --status")
    complains(forestgomp("serve", "--status", "--limit-user", "1"), 2, "sets nothing")
    complains(forestgomp("serve", "--limit-user"), 2, "--limit-user needs a value")
    for wrong in ("0", "x", "-1", "1x", "1025", "", "root=", "root=0", "=x"):
        complains(forestgomp("serve", f"--limit-user={wrong}"), 2, "accepted: N or USER=N")
    for wrong in ("no-such-user=1", "=1", "99999999999=1"):
        complains(forestgomp("serve", f"--limit-user={wrong}"), 2, "there is no user")


def test_serve_no_server():
    with place() as env:
        complains(forestgomp("serve", "--own", "--status", env=env), 1, "no server runs here")
        with running(env):  # it goes on by the board
            pass


def test_serve_one_server_at_a_time():
    with place() as env:
        with serving(env, "--own"):
            complains(forestgomp("serve", "--own", env=env), 1, "another server runs already")
            expect(held(env)["clients"] == [], "clients of nobody")
        with serving(env, "--own") as server:
            server.kill()
            server.wait()
        expect(pathlib.Path(env["XDG_RUNTIME_DIR"], NAME).exists(), "a server that is killed leaves its socket")
        complains(forestgomp("serve", "--own", "--status", env=env), 1, "no server runs here")
        with serving(env, "--own"):
            expect(held(env)["clients"] == [], "the next one takes its place")


def test_serve_a_place_that_is_bad():
    with place() as env:
        pathlib.Path(env["XDG_RUNTIME_DIR"], NAME).mkdir()
        complains(forestgomp("serve", "--own", env=env), 1, "cannot take the place of", NAME)
    with place() as env:
        pathlib.Path(env["XDG_RUNTIME_DIR"], NAME + ".lock").symlink_to("/dev/null")
        complains(forestgomp("serve", "--own", env=env), 1, "cannot make the lock", NAME)


def test_serve_programs_share():
    needs_two()
    with place() as env, serving(env, "--own") as server, running(env, 2) as started:
        first, second = pids = [process.pid for process in started]
        until(env, lambda found: set(found) == set(pids) and all(client["active"] for client in found.values())
              and sum(client["granted"] for client in found.values()) == 2)
        rows = held(env)
        expect(rows["pus"] >= 2 and not rows["published"] and rows["limit"] is None, str(rows))
        for client in rows["clients"]:
            expect(client["uid"] == os.geteuid() and client["most"] == 2 and 0 < client["demand"] <= 2 and client["weight"] > 0
                   and 1 <= client["optimal"] <= 2 and client["limit"] is None, str(client))
        table = forestgomp("serve", "--status", env=env).stdout.splitlines()
        expect("2 clients, " in table[0] and sum("carried" in line for line in table[2:]) == 2, str(table))
        started[0].kill()
        started[0].wait()
        until(env, lambda found: set(found) == {second} and found[second]["granted"] == 2)
        started[1].send_signal(signal.SIGSTOP)
        until(env, lambda found: not found[second]["active"] and found[second]["granted"] == 0)
        started[1].send_signal(signal.SIGCONT)
        until(env, lambda found: found[second]["active"] and found[second]["granted"] == 2)
        expect(server.poll() is None, "the server has ended")


def test_serve_as_published():
    """What a program holds it holds until its region ends."""
    needs_two()
    with place() as env, serving(env, "--own", "--as-published"), running(env) as first:
        until(env, lambda found: found.get(first[0].pid, {}).get("granted") == 2)
        with running(env) as second:
            until(env, lambda found: found.get(second[0].pid, {}).get("granted") == 1)
            expect(held(env)["published"], "it is not told")
            first[0].kill()
            first[0].wait()
            until(env, lambda found: set(found) == {second[0].pid})
            time.sleep(0.1)
            until(env, lambda found: found[second[0].pid]["granted"] == 1)


def test_serve_a_program_is_limited():
    """`forestgomp limit` holds beside the server."""
    needs_two()
    with place() as env, serving(env, "--own"), running(env) as started:
        pid = started[0].pid
        until(env, lambda found: found.get(pid, {}).get("granted") == 2)
        expect(forestgomp("limit", pid, 1, env=env).returncode == 0, "limit")
        await_line(started[0], "1")
        expect(forestgomp("limit", pid, "off", env=env).returncode == 0, "limit off")
        await_line(started[0], "2")


def test_serve_the_server_fails():
    """With a limit of one PU for the user it is seen which of server and board the program obeys."""
    needs_two()
    with place() as env:
        with serving(env, "--own", "--limit-user", "1") as server, running(env) as started:
            alone = started[0]
            await_line(alone, "1")
            for _ in range(3):
                server.send_signal(signal.SIGSTOP)
                await_line(alone, "2")
                server.send_signal(signal.SIGCONT)
                await_line(alone, "1")
            server.kill()
            server.wait()
            await_line(alone, "2")
            with serving(env, "--own", "--limit-user", f"{os.geteuid()}=1"):
                await_line(alone, "1")
            await_line(alone, "2")
            with serving(env, "--own"):
                until(env, lambda found: found.get(alone.pid, {}).get("granted") == 2)


def test_serve_beside_programs_without_a_server():
    """A program on the board alone counts for those that have a server."""
    needs_two()
    with place() as env, serving(env, "--own"), running(env) as served:
        await_line(served[0], "2")
        with running({**env, "FGOMP_SHARE": "on"}) as other:
            await_line(served[0], "1")
            await_line(other[0], "1")
        await_line(served[0], "2")


WRONG = {
    "of another magic number": message(REQUEST, magic=1),
    "of another version": message(REQUEST, version=2),
    "of no kind": message(0),
    "of a reply": message(REPLY),
    "of a table": message(TABLE),
    "of no PU": message(REQUEST, optimal=0),
    "of more than it can use": message(REQUEST, optimal=3),
    "of too many": message(REQUEST, most=1025),
    "of a huge demand": message(REQUEST, demand=2**32 - 1),
    "of no weight": message(REQUEST, weight=0),
    "on no PU": message(REQUEST, cpus=0),
    "that is cut off": message(REQUEST)[:-1],
    "that is too long": message(REQUEST) + b"x",
    "of one byte": b"F",
    "of many bytes": bytes(65536),
}


def test_serve_wrong_messages():
    with place() as env, serving(env, "--own") as server, connected(env) as honest:
        heard(honest, 76)
        for what, wrong in WRONG.items():
            for first in ((), (message(REQUEST),), (message(REQUEST), message(LEAVE), message(ASK))):
                with connected(env) as client:
                    for each in first:
                        client.send(each)
                    client.send(wrong)
                    expect(is_closed(client), what)
        some = random.Random(1)
        for _ in range(200):
            with connected(env) as client:
                bad = bytearray(message(REQUEST))
                bad[some.choice([*range(8), *range(48, 64)])] ^= 1 << some.randrange(8)
                client.send(bad)
                if bad[6:8] not in (b"\2\0", b"\3\0"):  # a request that became another message is right
                    expect(is_closed(client), str(bad))
        settled(server, 1)
        heard(honest, 77)
        expect(len(held(env)["clients"]) == 1, "wrong clients hold something")


def test_serve_floods():
    """Clients that send without end, or do not read, lose their connections. Another one is served meanwhile."""
    with place() as env, serving(env, "--own") as server, connected(env) as honest:
        heard(honest, 1)
        for kind in (REQUEST, ASK, LEAVE):
            with connected(env) as client:
                try:
                    for i in range(100000):
                        client.send(message(kind))
                        if i % 500 == 0:
                            heard(honest, i)
                    raise AssertionError("it may send without end")
                except (BrokenPipeError, ConnectionResetError):
                    pass
        settled(server, 1)
        silent = [connected(env) for _ in range(300)]  # more than a user may have
        end = time.monotonic() + LIMIT / 5
        while sum(client_is_there(client) for client in silent) != 251:  # and the honest one
            expect(time.monotonic() < end, "a user has more than 252 clients, or fewer")
            time.sleep(0.01)
        heard(honest, 5)
        for client in silent:
            client.close()
        settled(server, 1)


def client_is_there(client):
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


KILLED = """import os, signal, socket, sys
client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
client.connect(sys.argv[1])
for word in sys.argv[2:]:
    client.send(bytes.fromhex(word)) if word != "read" else client.recv(1 << 17)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_serve_killed_clients():
    """A client is killed behind each message: nothing that it held is left, and no file."""
    request, leave, ask = (message(kind).hex() for kind in (REQUEST, LEAVE, ASK))
    with place() as env, serving(env, "--own") as server:
        for words in ((), (request,), (request, "read"), (request, leave), (request, "read", leave), (ask,), (request, ask, ask),
                      (request, "read", request), (request, leave, request, "read")):
            killed = [subprocess.Popen(["python3", "-c", KILLED, os.path.join(env["XDG_RUNTIME_DIR"], NAME), *words]) for _ in range(2)]
            for process in killed:
                process.wait(LIMIT / 5)
        settled(server, 0)
        expect(held(env)["clients"] == [], "something is left")


def test_serve_hostile_clients_beside_a_program():
    needs_two()
    some = random.Random(2)
    with place() as env, serving(env, "--own") as server, running(env) as started:
        until(env, lambda found: started[0].pid in found)
        clients = []
        for _ in range(500):
            try:
                clients.append(connected(env))
                clients[-1].setblocking(False)
                clients[-1].send(some.choice([*WRONG.values(), message(REQUEST), message(ASK), message(LEAVE), message(REQUEST, weight=88761)]))
            except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                pass
            if len(clients) > 40:
                clients.pop(some.randrange(len(clients))).close()
        for client in clients:
            client.close()
        settled(server, 1)
        await_line(started[0], "2")
        until(env, lambda found: set(found) == {started[0].pid} and found[started[0].pid]["granted"] == 2)


def all_users():
    """The body of a test in a mount namespace of its own: programs of two users."""
    env = {"FGOMP_SHARE": "server"}
    with two_pus(), serving({}) as server:
        expect("/run/forestgomp/server" in server.said, server.said)
        expect(os.stat("/run/forestgomp").st_mode & 0o22 == 0, "others may write there")
        variables = {**clean_environment(), **env, "LD_LIBRARY_PATH": str(pathlib.Path(program()).parent)}
        started = [subprocess.Popen([program()], env=variables, stdout=subprocess.PIPE, user=user, group=user) for user in (65533, 65534)]
        try:
            first, second = (process.pid for process in started)
            for process in started:
                await_line(process, "1")
            until({}, lambda found: {first, second} <= set(found) and found[first]["uid"] == 65533 and found[second]["uid"] == 65534
                  and found[first]["granted"] == found[second]["granted"] == 1)
            started[0].kill()
            started[0].wait()
            await_line(started[1], "2")
            server.send_signal(signal.SIGSTOP)  # the board of its own user holds
            time.sleep(0.1)
            server.send_signal(signal.SIGCONT)
            until({}, lambda found: set(found) == {second} and found[second]["granted"] == 2)
        finally:
            for process in started:
                process.kill()
                process.communicate()


def test_serve_several_users():
    needs_two()
    if os.geteuid() != 0:
        raise Missing("root")
    folder = pathlib.Path(program()).parent  # other users can read it, wherever the build folder lies
    os.chmod(folder, 0o755)
    shutil.copy(BUILD / "lib" / "libgomp.so.1", folder)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status, said = 1, ""
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, 0x44000, None) or any(
                    libc.mount(b"fg", where, b"tmpfs", 0, mode) for where, mode in ((b"/run", b"mode=0755"), (b"/dev/shm", b"mode=1777"))):
                status = 77
            else:
                all_users()
                status = 0
        except BaseException as error:  # noqa: BLE001
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode())
        os._exit(status)
    os.close(write)
    said = b""
    while piece := os.read(read, 4096):
        said += piece
    os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 77:
        raise Missing("mounts")
    expect(status == 0, said.decode())
