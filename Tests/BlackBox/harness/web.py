"""A web server on the loopback address, plain or TLS, that answers whatever a test wants byte for byte."""
import socket
import ssl
import struct
import threading


def response(body, status="200 OK", length=None, head=""):
    body = body if isinstance(body, bytes) else body.encode()
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{head}\r\n".encode() + body


class Web:
    """`answer` is bytes, or a function of the connection and the request that sends by itself."""

    def __init__(self, answer=b"", *, directory=None, family=socket.AF_INET, host="127.0.0.1"):
        self.answer = answer
        self.requests = []      # first lines
        self.names = []         # names that TLS clients asked for
        self.context = None
        if directory:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(directory / "server.pem", directory / "server.key")
            self.context.sni_callback = lambda sock, name, context: self.names.append(name)
        self.listener = socket.socket(family)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, 0))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self):
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}"

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)    # or the thread's accept would keep it open
        except OSError:
            pass
        self.listener.close()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client):
        try:
            client.settimeout(60)
            if self.context:
                client = self.context.wrap_socket(client, server_side=True)
            request = b""
            while b"\r\n\r\n" not in request:
                part = client.recv(4096)
                if not part:
                    break
                request += part
            self.requests.append(request.split(b"\r\n")[0].decode(errors="replace"))
            if callable(self.answer):
                self.answer(client, request)
            else:
                client.sendall(self.answer)
            if self.context:
                client.unwrap()
        except (OSError, ValueError):    # ValueError: TLS on a socket that the test has closed
            pass
        finally:
            client.close()


def reset(client, request=None):
    """RST instead of an answer."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
