"""Certificates for the peer and for the registration, made in a moment."""
import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID


def new_key():
    return rsa.generate_private_key(65537, 2048)


def pem_key(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                             serialization.NoEncryption())


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM)


def alternative(name):
    """A name or an address as certificates have it."""
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def issue(name, key, *, issuer=None, issuer_key=None, authority=False, years=(2020, 2039), names=()):
    """A certificate for `key`, of a server with these names; self-signed without an issuer."""
    extensions = [x509.SubjectAlternativeName([alternative(n) for n in names])] if names else []
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (x509.CertificateBuilder()
            .subject_name(subject).issuer_name(issuer.subject if issuer else subject)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(datetime.datetime(years[0], 1, 1)).not_valid_after(datetime.datetime(years[1], 1, 1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True))
    for extension in extensions:
        made = made.add_extension(extension, critical=False)
    return made.sign(issuer_key or key, hashes.SHA256())


def server_files(directory, key=None, **options):
    """server.pem and server.key as the peer looks for them; the key."""
    key = key or new_key()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "server.pem").write_bytes(pem(issue("sgn.test", key, **options)))
    (directory / "server.key").write_bytes(pem_key(key))
    return key
