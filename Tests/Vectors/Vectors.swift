import Foundation

/// A file of this directory, whose keys are in snake case.
public func loadVector<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(T.self, from: Data(contentsOf: file))
}

/// The bytes of hex digits; spaces are for the reader. Traps on anything else.
public func unhex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue!) }
    precondition(digits.count % 2 == 0)
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

public func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
