# SPDX-License-Identifier: Apache-2.0
"""Started by the tuner after an execution: passes the paths of its arrays to the process that waits at a socket, and
ends with that one's verdict. Arguments: the socket, then names and paths in turns."""
import json
import socket
import sys


def main():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        connection.sendall(json.dumps(sys.argv[2:]).encode() + b"\n")
        verdict = json.loads(connection.makefile().readline() or '"the script ended"')
    if verdict:
        print(verdict)
        sys.exit(1)


if __name__ == "__main__":
    main()
