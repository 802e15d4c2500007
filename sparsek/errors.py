"""Exceptions and warnings that carry R's own message."""


class RError(ValueError):
    """An error that R raises too; the text gives R's message and then the remedy.

    Parameters
    ----------
    r_message : str
        R's message, word for word.
    remedy : str, default=""
        What is wrong with the value at hand and what to do about it.

    Attributes
    ----------
    r_message : str
        R's message alone, for comparison with a recorded R error.
    """

    def __init__(self, r_message: str, remedy: str = "") -> None:
        self.r_message = r_message
        super().__init__(f"{r_message} [{remedy}]" if remedy else r_message)


class RWarning(UserWarning):
    """A warning that R raises too, with R's message word for word."""
