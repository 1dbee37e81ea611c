from importlib.machinery import SourceFileLoader

from wordorder.kernels._run import Kernel as Kernel
from wordorder.kernels._run import announce as announce
from wordorder.kernels._run import call as call
from wordorder.kernels._run import is_long as is_long
from wordorder.kernels._run import keep_freed_memory as keep_freed_memory
from wordorder.kernels._run import return_freed_memory as return_freed_memory
from wordorder.kernels._run import one_thread as one_thread
from wordorder.kernels._run import piece_spans as piece_spans
from wordorder.kernels._run import read_ahead as read_ahead
from wordorder.kernels._run import run_in_order as run_in_order
from wordorder.kernels._run import run_pieces as run_pieces
from wordorder.kernels._run import run_rows as run_rows
from wordorder.kernels._run import set_threads as set_threads
from wordorder.kernels._run import threads as threads

INTERPRETED_BY_CHOICE: bool

def compiled() -> bool: ...

class _SourceLoader(SourceFileLoader): ...
