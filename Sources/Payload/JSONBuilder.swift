import Bytes
import CBoard

/// From jansson's tree to the document. The tree is never deeper than a document may be, so the containers now open
/// fit a stack of fixed size.
struct JSONBuilder: ~Copyable {
    private struct Container: BitwiseCopyable {
        var value: UnsafeMutablePointer<json_t>?
        /// The next entry of an object; nil after the last.
        var entry: UnsafeMutableRawPointer?
        /// The next element of an array.
        var index = 0
        var isMap = false
    }

    private var containers = InlineArray<32, Container>(repeating: Container())
    private var depth = 0
    /// The tree does not say where its values were; an error names the end of the input.
    private let offset: Int

    init(offset: Int) { self.offset = offset }

    mutating func build(_ root: UnsafeMutablePointer<json_t>, into document: inout Document) throws(PayloadError) {
        try add(root, to: &document)
        while depth > 0 {
            if containers[depth - 1].isMap {
                try continueObject(&document)
            } else {
                try continueArray(&document)
            }
        }
    }

    private mutating func continueObject(_ document: inout Document) throws(PayloadError) {
        guard let entry = containers[depth - 1].entry, let value = json_object_iter_value(entry) else {
            return try end(&document)
        }
        containers[depth - 1].entry = json_object_iter_next(containers[depth - 1].value, entry)
        let key = UnsafeRawBufferPointer(start: json_object_iter_key(entry), count: json_object_iter_key_len(entry))
        try document.key(document.copyText(key.bytes, at: offset), at: offset)
        try add(value, to: &document)
    }

    private mutating func continueArray(_ document: inout Document) throws(PayloadError) {
        let index = containers[depth - 1].index
        guard let value = json_array_get(containers[depth - 1].value, index) else { return try end(&document) }
        containers[depth - 1].index = index + 1
        try add(value, to: &document)
    }

    private mutating func end(_ document: inout Document) throws(PayloadError) {
        depth -= 1
        try document.end(at: offset)
    }

    private mutating func add(
        _ value: UnsafeMutablePointer<json_t>, to document: inout Document
    ) throws(PayloadError) {
        switch value.pointee.type {
        case JSON_OBJECT:
            try document.beginMap(at: offset)
            begin(Container(value: value, entry: json_object_iter(value), isMap: true))
        case JSON_ARRAY:
            try document.beginArray(at: offset)
            begin(Container(value: value))
        case JSON_STRING:
            let text = UnsafeRawBufferPointer(start: json_string_value(value), count: json_string_length(value))
            try document.string(document.copyText(text.bytes, at: offset), at: offset)
        case JSON_INTEGER: try document.int(json_integer_value(value), at: offset)
        case JSON_REAL: try document.double(json_real_value(value), at: offset)
        case JSON_TRUE: try document.bool(true, at: offset)
        case JSON_FALSE: try document.bool(false, at: offset)
        default: try document.null(at: offset)
        }
    }

    /// The document has begun the container, which bounds `depth`.
    private mutating func begin(_ container: Container) {
        containers[depth] = container
        depth += 1
    }
}
