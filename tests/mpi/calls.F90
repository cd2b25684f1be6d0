! The calls that libforestgomp-mpi-*.so replaces, in Fortran: results and naps as in calls.c. F08: with the module mpi_f08.
#ifdef F08
#define USED mpi_f08
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define STATUSES type(MPI_Status), dimension(2)
#define SECOND_TAG(statuses) statuses(2)%MPI_TAG
#define SOURCE(status) status%MPI_SOURCE
#define TAG(status) status%MPI_TAG
#else
#define USED mpi
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES integer, dimension(MPI_STATUS_SIZE, 2)
#define SECOND_TAG(statuses) statuses(MPI_TAG, 2)
#define SOURCE(status) status(MPI_SOURCE)
#define TAG(status) status(MPI_TAG)
#endif
#define CALLS 24
module calls
    use USED
    implicit none
    integer, parameter :: n = 64, large = 262144
    integer :: from(8 * n), to(8 * n), many(large), counts(8), places(8), rank, size, error
contains
    subroutine fill()
        integer :: i
        from = [(1000 * (rank + 1) + i, i = 1, 8 * n)]
        to = -1
        counts = [(i, i = 1, 8)]
        places = [(i * (i + 1), i = 1, 8)]
    end subroutine

    ! The first rank is the one for which others wait, the last one waits.
    subroutine make(number, name)
        integer, intent(in) :: number
        character(len=*), intent(out) :: name
        integer :: last, in(8), in_places(8), i
        STATUS :: got
        STATUSES :: all
        REQUEST :: requests(2)
        last = size - 1
        in = rank + 1
        in_places = [(n * i, i = 0, 7)]
        select case (number)
        case (1)
            name = "barrier"
            call MPI_Barrier(MPI_COMM_WORLD, error)
        case (2)
            name = "bcast"
            call MPI_Bcast(from, n, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
            to(1:n) = from(1:n)
        case (3)
            name = "reduce"
            call MPI_Reduce(from, to, n, MPI_INTEGER, MPI_SUM, last, MPI_COMM_WORLD, error)
        case (4)
            name = "allreduce"
            call MPI_Allreduce(from, to, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        case (5)
            name = "allreduce_in_place"
            to = from
            call MPI_Allreduce(MPI_IN_PLACE, to, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        case (6)
            name = "scan"
            call MPI_Scan(from, to, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        case (7)
            name = "exscan"
            call MPI_Exscan(from, to, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        case (8)
            name = "gather"
            call MPI_Gather(from, n, MPI_INTEGER, to, n, MPI_INTEGER, last, MPI_COMM_WORLD, error)
        case (9)
            name = "gatherv"
            call MPI_Gatherv(from, rank + 1, MPI_INTEGER, to, counts, places, MPI_INTEGER, last, MPI_COMM_WORLD, error)
        case (10)
            name = "scatter"
            call MPI_Scatter(from, n, MPI_INTEGER, to, n, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        case (11)
            name = "scatterv"
            call MPI_Scatterv(from, counts, places, MPI_INTEGER, to, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        case (12)
            name = "allgather"
            call MPI_Allgather(from, n, MPI_INTEGER, to, n, MPI_INTEGER, MPI_COMM_WORLD, error)
        case (13)
            name = "allgatherv"
            call MPI_Allgatherv(from, rank + 1, MPI_INTEGER, to, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
        case (14)
            name = "alltoall"
            call MPI_Alltoall(from, n, MPI_INTEGER, to, n, MPI_INTEGER, MPI_COMM_WORLD, error)
        case (15)
            name = "alltoallv"
            call MPI_Alltoallv(from, counts, places, MPI_INTEGER, to, in, in_places, MPI_INTEGER, MPI_COMM_WORLD, error)
        case (16)
            name = "reduce_scatter"
            call MPI_Reduce_scatter(from, to, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        case (17)
            name = "reduce_scatter_block"
            call MPI_Reduce_scatter_block(from, to, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        case (18)
            name = "recv"
            if (rank == 0) call MPI_Send(from, n, MPI_INTEGER, last, 7, MPI_COMM_WORLD, error)
            if (rank == last) then
                call MPI_Recv(to, n, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, got, error)
                to(2 * n) = SOURCE(got)
                to(2 * n + 1) = TAG(got)
            end if
        case (19)
            name = "send"
            many = rank
            if (rank == last) call MPI_Send(many, large, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, error)
            if (rank == 0) call MPI_Recv(many, large, MPI_INTEGER, last, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            to(1) = many(large)
        case (20)
            name = "ssend"
            if (rank == last) call MPI_Ssend(from, n, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, error)
            if (rank == 0) call MPI_Recv(to, n, MPI_INTEGER, last, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        case (21)
            name = "sendrecv"
            call MPI_Sendrecv(from, n, MPI_INTEGER, mod(rank + 1, size), 9, to, n, MPI_INTEGER, &
                mod(rank + size - 1, size), 9, MPI_COMM_WORLD, got, error)
            to(2 * n) = SOURCE(got)
        case (22)
            name = "waitall"
            requests = MPI_REQUEST_NULL
            if (rank == last) then
                call MPI_Irecv(to, n, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, requests(1), error)
                call MPI_Irecv(to(n + 1), n, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, requests(2), error)
            end if
            if (rank == 0) then
                call MPI_Send(from, n, MPI_INTEGER, last, 3, MPI_COMM_WORLD, error)
                call MPI_Send(from(2), n, MPI_INTEGER, last, 2, MPI_COMM_WORLD, error)
            end if
            call MPI_Waitall(2, requests, all, error)
            if (rank == last) to(2 * n + 1) = SECOND_TAG(all)
        case (23)
            name = "waitany"
            requests = MPI_REQUEST_NULL
            if (rank == last) call MPI_Irecv(to, n, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, requests(2), error)
            if (rank == 0) call MPI_Send(from, n, MPI_INTEGER, last, 2, MPI_COMM_WORLD, error)
            call MPI_Waitany(2, requests, i, got, error)
            if (rank == last) to(2 * n) = i
        case (24)
            name = "probe"
            if (rank == 0) call MPI_Send(from, n, MPI_INTEGER, last, 5, MPI_COMM_WORLD, error)
            if (rank == last) then
                call MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, got, error)
                call MPI_Recv(to, n, MPI_INTEGER, 0, TAG(got), MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        end select
    end subroutine

    subroutine results()
        integer :: number, i, all(0:63)
        integer(8) :: digest
        character(len=32) :: name
        do number = 1, CALLS
            call fill()
            call MPI_Barrier(MPI_COMM_WORLD, error) ! a later message must not meet MPI_ANY_SOURCE
            call make(number, name)
            digest = error
            do i = 1, 8 * n
                digest = mod(digest * 31 + to(i) + 7, 1000003_8)
            end do
            call MPI_Gather(int(digest), 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
            if (rank == 0) print '(a, 64(1x, i0))', trim(name), all(0:size - 1)
        end do
    end subroutine

    subroutine naps()
        integer :: number
        character(len=32) :: name
        double precision :: waited, begun, ended, start
        do number = 1, CALLS
            call fill()
            call MPI_Barrier(MPI_COMM_WORLD, error)
            start = MPI_Wtime()
            call cpu_time(begun)
            if (rank == 0) call sleep_ms(100)
            call make(number, name)
            waited = MPI_Wtime() - start
            call cpu_time(ended)
            if (rank == size - 1) print '(4a, f0.1, a)', trim(merge("napped", "LATE  ", ended - begun < 0.03 .and. &
                waited > 0.09)), " ", trim(name), ": computed ", (ended - begun) * 1000, " ms"
        end do
    end subroutine

    subroutine sleep_ms(ms)
        use iso_c_binding
        integer, intent(in) :: ms
        integer :: ignored
        interface
            integer(c_int) function usleep(us) bind(c)
                import :: c_int
                integer(c_int), value :: us
            end function
        end interface
        ignored = usleep(int(ms * 1000, c_int))
    end subroutine
end module

program main
    use calls
    character(len=16) :: mode
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    call get_command_argument(1, mode)
    if (mode == "results") call results()
    if (mode == "naps") call naps()
    call MPI_Finalize(error)
end program
