"""Progress bars that start no thread."""

from tqdm import tqdm


class ProgressBar(tqdm):
    """tqdm's bar without the thread that watches it: joblib may fork, unsafe with threads."""

    monitor_interval = 0
