"""A router that translates addresses, as at home: it can forget, drop, refuse and lose its way."""
from .namespace import Namespace, join

# Without loose pickup the kernel takes a segment of a connection it has forgotten for invalid, as most routers do.
RULES = """
table ip nat {
    chain post {
        type nat hook postrouting priority srcnat
        oifname "wan" masquerade
    }
}
table inet gate {
    chain weather {
    }
    chain forgotten {
        drop
    }
    chain forward {
        type filter hook forward priority filter
        jump weather
        ct state invalid jump forgotten
    }
    chain input {
        type filter hook input priority filter
        ct state invalid drop
    }
}
"""


class Router:
    """The n-th one: 192.168.N.0/24 and 2001:db8:N::/64 inside, 10.0.N.0/24 to the internet. `lan` and `wan` are its
    interfaces."""

    def __init__(self, number, board, internet):
        self.number = number
        self.namespace = Namespace()
        self.address, self.address6 = f"192.168.{number}.1", f"2001:db8:{number}::1"
        inner6 = f"2001:db8:f{number}::"
        join(board, f"eth{number - 1}", self.namespace, "lan")
        join(internet, f"up{number}", self.namespace, "wan")
        self.namespace.set(ipv4__ip_forward=1, netfilter__nf_conntrack_tcp_loose=0, ipv6__conf__all__forwarding=1)
        self.namespace.ip(f"addr add {self.address}/24 dev lan", f"addr add 10.0.{number}.1/24 dev wan",
                          f"addr add {self.address6}/64 dev lan nodad", f"addr add {inner6}1/64 dev wan nodad",
                          "link set lan up", "link set wan up", f"route add default via 10.0.{number}.2",
                          f"route add ::/0 via {inner6}2")
        internet.ip(f"addr add 10.0.{number}.2/24 dev up{number}", f"addr add {inner6}2/64 dev up{number} nodad",
                    f"link set up{number} up", f"route add 2001:db8:{number}::/64 via {inner6}1")
        self.namespace.nft(RULES)

    def forget(self, answer="drop"):
        """Every connection that it knows; `answer` is what it does with what then still comes: `drop`, or a reset."""
        self.namespace.nft(f"flush chain inet gate forgotten\nadd rule inet gate forgotten {answer}\n")
        self.namespace.run("conntrack", "-F")

    def weather(self, *rules):
        """Rules for all that passes, in the place of those before."""
        self.namespace.nft("flush chain inet gate weather\n"
                           + "".join(f"add rule inet gate weather {rule}\n" for rule in rules))

    def close(self):
        self.namespace.close()
