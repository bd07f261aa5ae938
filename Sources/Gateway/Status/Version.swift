import CBoard

/// The version of this program and of the libraries in it.
public enum Version {
    /// Semantic versioning.
    public static let number = "0.1.0"

    /// What it was compiled for.
    public static var target: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "armv6"
        #endif
    }

    /// For `--version`: one line of our own and one for each library. Allocates.
    public static var text: String {
        var lines = "skyglowd \(number) \(target)\n"
        lines += "OpenSSL \(String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)))\n"
        lines += "SQLite \(String(cString: sqlite3_libversion()))\n"
        lines += "zlib \(String(cString: zlibVersion()))\n"
        lines += "c-ares \(String(cString: ares_version(nil)))\n"
        lines += "libsodium \(String(cString: sodium_version_string()))\n"
        lines += "libgpiod \(String(cString: gpiod_version_string()))\n"
        lines += "expat \(String(cString: XML_ExpatVersion()))\n"
        lines += "jansson \(String(cString: jansson_version_str()))\n"
        return lines
    }
}
