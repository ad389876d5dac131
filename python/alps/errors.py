"""What goes wrong, as exceptions; the library raises them with the program's messages."""


class Error(RuntimeError):
    """The work failed: what was wrong, where, and what to do next."""


class UsageError(Error, ValueError):
    """Wrong use: an argument or setting that cannot be."""


Error.__module__ = UsageError.__module__ = "alps"  # where users find them
