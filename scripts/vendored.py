"""Parts."""
class Parts:
    def __init__(self, work, machine, stubs):
        pass
    def for_target(self, target):
        return []
    def add(self, tree):
        pass
