import CBoard

@main
struct Skyglowd {
    static func main() {
        print("skyglowd openssl \(String(cString: OpenSSL_version(OPENSSL_VERSION)))")
    }
}
