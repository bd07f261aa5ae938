/// The content_type of S_NOTIFY (SGP v2 §6).
public enum ContentType {
    public static let flatTLV: UInt8 = 0
    public static let json: UInt8 = 1
    public static let propertyList: UInt8 = 2
    public static let structuredTLV: UInt8 = 3
}
