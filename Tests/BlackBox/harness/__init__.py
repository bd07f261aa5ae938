"""What the tests drive: the independent peer, the program under test, the wire between them and the bytes on it."""
