/// The names that a pocketty daemon and a board agree on.
public enum PockettyWire {
    public static let grantPath = "/pocketty/v1/grant"
    public static let pushPath = "/pocketty/v1/push"
    /// HPKE's info (RFC 9180 §5.1).
    public static let information = "pocketty note v1"
}
