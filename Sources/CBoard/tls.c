/* OpenSSL's macros as functions. */
#include "CBoard.h"

void cb_ssl_ctx_configure(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    /* The pin decides, so small or old keys that a server was given once are no reason to refuse it. */
    SSL_CTX_set_security_level(context, 1);
}

int cb_ssl_is_unexpected_eof(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

int cb_ssl_is_no_tls(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER;
}

void cb_ssl_ctx_trust_system(SSL_CTX *context) {
    SSL_CTX_set_default_verify_paths(context);
    if (getenv("SSL_CERT_FILE") || getenv("SSL_CERT_DIR")) return;
    SSL_CTX_load_verify_dir(context, "/etc/ssl/certs");
    static const char *const bundles[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem",
                                          "/etc/pki/tls/certs/ca-bundle.crt"};
    for (size_t index = 0; index < sizeof bundles / sizeof *bundles; index++)
        if (SSL_CTX_load_verify_file(context, bundles[index]) == 1) break;
    ERR_clear_error();
}

/* Without a callback OpenSSL would ask for a passphrase on the terminal. */
static int no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

STACK_OF(X509) *cb_read_chain(const void *pem, int size) {
    BIO *bio = BIO_new_mem_buf(pem, size);
    STACK_OF(X509) *chain = sk_X509_new_null();
    X509 *one = bio != NULL ? PEM_read_bio_X509(bio, NULL, no_passphrase, NULL) : NULL;
    X509_free(one); /* the first is the leaf */
    while (one != NULL && chain != NULL && (one = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL)) != NULL)
        if (!sk_X509_push(chain, one)) X509_free(one);
    ERR_clear_error();
    BIO_free(bio);
    return chain;
}

void cb_free_chain(STACK_OF(X509) *chain) { sk_X509_pop_free(chain, X509_free); }

int cb_print_name(BIO *out, const X509_NAME *name) {
    return X509_NAME_print_ex(out, name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
}
