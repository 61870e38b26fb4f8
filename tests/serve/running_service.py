"""A service on a free port of this machine, in a thread of the test or as a process of its own."""

import re
import subprocess
import sys
import threading
import time

import httpx
import uvicorn

from anylens.serve.application import create_app
from anylens.serve.gate import HEAD_BYTES
from anylens.serve.protocol import patient_protocol
from anylens.serve.running import bind


class InThread:
    """`with InThread(Settings(…)) as service:` has `url`, `port`, `client` and the application's `desk`."""

    def __init__(self, settings):
        self.settings = settings

    def __enter__(self):
        app = create_app(self.settings)
        self.desk = app.desk
        config = uvicorn.Config(
            app,
            http=patient_protocol(self.settings.idle_seconds),
            ws="none",
            log_level="error",
            access_log=False,
            server_header=False,
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
        self.server = uvicorn.Server(config)
        listening = bind("127.0.0.1", 0)
        self.port = listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx.Client(base_url=self.url, timeout=60)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self.thread.start()
        wait_until_healthy(self.client)
        return self

    def __exit__(self, *_):
        self.client.close()
        self.server.should_exit = True
        self.thread.join(10)


class AsProcess:
    """`anylens serve` itself, with further arguments."""

    def __init__(self, *arguments, environment=None):
        self.arguments, self.environment = arguments, environment

    def __enter__(self):
        command = [sys.executable, "-m", "anylens", "serve", "--port", "0", *self.arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment
        )
        self.said = self.process.stdout.readline()
        found = re.search(r"http://\S+", self.said)
        assert found, self.said + self.process.communicate(timeout=10)[1]
        self.url = found.group().rstrip("/")
        self.port = int(self.url.rpartition(":")[2])
        self.client = httpx.Client(base_url=self.url.replace("0.0.0.0", "127.0.0.1"), timeout=60)
        wait_until_healthy(self.client)
        return self

    def __exit__(self, *_):
        self.client.close()
        self.process.terminate()
        self.process.communicate(timeout=10)


def wait_until_healthy(client):
    for _ in range(200):
        try:
            if client.get("/healthz").status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.05)
    raise AssertionError("the service did not start")


def network_runs(client, **options):
    """How many photos have gone through the network."""
    text = client.get("/metrics", **options).text
    return int(float(re.search(r"^anylens_network_runs_total (\S+)", text, re.MULTILINE).group(1)))
