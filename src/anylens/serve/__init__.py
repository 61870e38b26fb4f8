"""The service and its page: `anylens serve`, with the extra `serve` (FastAPI, uvicorn, python-multipart).

    request → gate (host, token, time) → body, form (limits, memory only) → workers (bounded queue) → answer

`create_app` gives the ASGI application for another server; nothing in it writes to disk.
"""

from anylens.serve.application import create_app
from anylens.serve.settings import Settings

__all__ = ["Settings", "create_app"]
