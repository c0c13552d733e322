"""Makes every attempt to use a network fail, in the test run and in every Python process a test starts."""

import socket
import sys

_CALLS = frozenset({"socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKUPS = frozenset({"socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname", "socket.getnameinfo"})


def refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    """Raise RuntimeError for name look-ups and for calls on anything but a socket of this machine's file system.

    Args:
        event: name of the interpreter's audit event.
        arguments: its arguments; the socket comes first for the calls.
    """
    if event not in _LOOKUPS and event not in _CALLS:
        return
    if event in _CALLS and getattr(arguments[0], "family", None) == getattr(socket, "AF_UNIX", object()):
        return
    message = f"tests may not use the network: {event}"
    raise RuntimeError(message)


sys.addaudithook(refuse_network)
