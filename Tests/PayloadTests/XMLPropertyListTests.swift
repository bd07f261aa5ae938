import Bytes
import Payload
import Testing

private func decode(_ bytes: [UInt8]) -> Outcome { decode(bytes, type: ContentType.propertyList) }
private func decode(_ text: String) -> Outcome { decode(array(text)) }

/// A value in a map in a property list.
private func list(_ value: String) -> String { "<plist><dict><key>a</key>\(value)</dict></plist>" }

/// Where the value is.
private let offset = "<plist><dict><key>a</key>".utf8.count

private let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#
private let doctype =
    #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#

@Suite struct XMLPropertyListTests {
    @Test(
        arguments: [
            ("<string>x</string>", #""x""#), ("<string/>", #""""#), ("<string></string>", #""""#),
            ("<string> x\n y\t</string>", #"" x\n y\t""#), ("<string>a\r\nb\rc&#13;</string>", #""a\nb\nc\r""#),
            ("<string>&lt;&amp;&gt;&quot;&apos;&#233;&#x1F514;</string>", "\"<&>\\\"'\u{E9}\u{1F514}\""),
            ("<string>a<![CDATA[<b>&amp;]]>c</string>", #""a<b>&amp;c""#),
            ("<string>a<!-- b -->c<?d e?></string>", #""ac""#),
            ("<true/>", "true"), ("<false/>", "false"), ("<true> </true>", "true"),
            ("<integer>0</integer>", "0"), ("<integer>-0</integer>", "0"), ("<integer>+12</integer>", "12"),
            ("<integer> 12\n</integer>", "12"), ("<integer>007</integer>", "7"),
            ("<integer>9223372036854775807</integer>", "9223372036854775807"),
            ("<integer>-9223372036854775808</integer>", "-9223372036854775808"),
            ("<integer>9223372036854775808</integer>", "9.223372036854776e+18"),
            ("<integer>18446744073709551615</integer>", "1.8446744073709552e+19"),
            ("<integer>0x1F</integer>", "31"), ("<integer>-0Xff</integer>", "-255"),
            ("<integer>0x7fffffffffffffff</integer>", "9223372036854775807"),
            ("<integer>-0x8000000000000000</integer>", "-9223372036854775808"),
            ("<integer>0xFFFFFFFFFFFFFFFF</integer>", "1.8446744073709552e+19"),
            ("<real>3</real>", "3.0"), ("<real>-0.0</real>", "-0.0"), ("<real>+.5</real>", "0.5"),
            ("<real>5.</real>", "5.0"), ("<real> 1e308 </real>", "1e+308"), ("<real>4.9E-324</real>", "5e-324"),
            ("<real>1e-400</real>", "0.0"), ("<real>0.1</real>", "0.1"),
            ("<real>9007199254740993</real>", "9007199254740992.0"),
            ("<data></data>", #"{"$data":""}"#), ("<data/>", #"{"$data":""}"#),
            ("<data>AA==</data>", #"{"$data":"AA=="}"#),
            ("<data>\n\tAAEC\r\n\tA w= =\n</data>", #"{"$data":"AAECAw=="}"#),
            ("<data>AAECAw</data>", #"{"$data":"AAECAw=="}"#),
            ("<data>+/+/</data>", #"{"$data":"+/+/"}"#),
            ("<date>2024-02-29T23:59:59Z</date>", #""2024-02-29T23:59:59Z""#),
            ("<date>0001-01-01T00:00:00Z</date>", #""0001-01-01T00:00:00Z""#),
            ("<array/>", "[]"), ("<array> <true/> <array/> </array>", "[true,[]]"), ("<dict/>", "{}"),
            ("<dict><key>b</key><integer>1</integer><key/><true/></dict>", #"{"":true,"b":1}"#),
        ]) func values(element: String, expected: String)
    {
        #expect(decode(list(element)) == .json(#"{"a":"# + expected + "}"))
    }

    @Test(
        arguments: [
            "", declaration, declaration + "\n" + doctype, doctype, "\n ", "\u{FEFF}", "\u{FEFF}" + declaration,
            "<!-- -->",
            #"<?xml version='1.0' encoding='utf-8' standalone='yes'?><!-- x --><?y z?>"#, #"<?xml version="1.0"?>"#,
            #"<?xml version="1.0" encoding="US-ASCII"?>"#, "<!DOCTYPE plist>",
            #"<!DOCTYPE plist SYSTEM "file:///dev/random">"#,
        ]) func beginnings(prolog: String)
    {
        #expect(decode(prolog + list("<true/>")) == .json(#"{"a":true}"#))
        #expect(decode(prolog + list("<true/>") + "\n<!-- end -->\n") == .json(#"{"a":true}"#))
    }

    @Test(
        arguments: [
            // Numbers.
            ("<integer></integer>", .number(offset: offset)), ("<integer/>", .number(offset: offset)),
            ("<integer>-</integer>", .number(offset: offset)), ("<integer>0x</integer>", .number(offset: offset)),
            ("<integer>1.0</integer>", .number(offset: offset)), ("<integer>1 2</integer>", .number(offset: offset)),
            ("<integer>--1</integer>", .number(offset: offset)), ("<integer>ff</integer>", .number(offset: offset)),
            ("<integer>18446744073709551616</integer>", .number(offset: offset)),
            ("<integer>-9223372036854775809</integer>", .number(offset: offset)),
            ("<integer>0x10000000000000000</integer>", .number(offset: offset)),
            ("<real></real>", .number(offset: offset)), ("<real>.</real>", .number(offset: offset)),
            ("<real>1e</real>", .number(offset: offset)), ("<real>0x1p3</real>", .number(offset: offset)),
            ("<real>1,5</real>", .number(offset: offset)), ("<real>1 </real>", nil),
            ("<real>1 1</real>", .number(offset: offset)), ("<real>e5</real>", .number(offset: offset)),
            ("<real>1e309</real>", .notFinite(offset: offset)), ("<real>-1e309</real>", .notFinite(offset: offset)),
            ("<real>nan</real>", .notFinite(offset: offset)), ("<real>-Inf</real>", .notFinite(offset: offset)),
            ("<real>+infinity</real>", .notFinite(offset: offset)), ("<real>infinite</real>", .number(offset: offset)),
            // Data and dates.
            ("<data>A</data>", .base64(offset: offset)), ("<data>AA=</data>", .base64(offset: offset)),
            ("<data>AA===</data>", .base64(offset: offset)), ("<data>=</data>", .base64(offset: offset)),
            ("<data>AA==AA==</data>", .base64(offset: offset)), ("<data>AA-_</data>", .base64(offset: offset)),
            ("<data>AAAA====</data>", .base64(offset: offset)),
            ("<date>2023-02-29T00:00:00Z</date>", .date(offset: offset)),
            ("<date>2024-02-29</date>", .date(offset: offset)), ("<date/>", .date(offset: offset)),
            ("<date>2024-02-29T24:00:00Z</date>", .date(offset: offset)),
            ("<date>2024-02-29T00:00:00+00:00</date>", .date(offset: offset)),
            ("<date> 2024-02-29T00:00:00Z</date>", .date(offset: offset)),
            // Elements.
            ("<null/>", .unknownElement(offset: offset)), ("<String/>", .unknownElement(offset: offset)),
            ("<p:string/>", .unknownElement(offset: offset)), ("<set><true/></set>", .unknownElement(offset: offset)),
            ("<plist><true/></plist>", .structure(offset: offset)),
            ("<string><true/></string>", .structure(offset: offset + 8)),
            ("<true>x</true>", .structure(offset: offset + 6)),
            ("x", .structure(offset: offset)), ("<array>x</array>", .structure(offset: offset + 7)),
            ("<array>&#32;</array>", nil), ("<array><![CDATA[ x]]></array>", .structure(offset: offset + 16)),
            // Keys that are not strings, or have no value, or stand where no key does.
            ("", .structure(offset: offset)), ("<key>b</key><true/>", .structure(offset: offset)),
            ("<true/><integer>1</integer><true/>", .structure(offset: offset + 7)),
            ("<true/><key>b</key>", .structure(offset: offset + 19)),
            ("<array><key>b</key><true/></array>", .structure(offset: offset + 7)),
            // Not well-formed.
            ("<true>", .syntax(offset: offset + 8)), ("<array></dict>", .syntax(offset: offset + 9)),
            ("<string>&</string>", .syntax(offset: offset + 9)), ("<string>&#0;</string>", .syntax(offset: offset + 8)),
            ("<string>&#xD800;</string>", .syntax(offset: offset + 8)),
            ("<string>\u{1}</string>", .syntax(offset: offset + 8)),
            ("<string>\u{0}</string>", .syntax(offset: offset + 8)),
            ("<string>]]></string>", .syntax(offset: offset + 10)),
            ("<string a=1/>", .syntax(offset: offset + 10)), ("<string a='1' a='2'/>", .syntax(offset: offset + 14)),
            // Entities.
            ("<string>&e;</string>", .entity(offset: offset + 8)),
            ("<string>&Lt;</string>", .entity(offset: offset + 8)),
        ] as [(String, PayloadError?)]) func invalid(element: String, expected: PayloadError?)
    {
        let outcome = decode(list(element))
        if let expected {
            #expect(outcome == .error(expected))
        } else {
            #expect(!outcome.isError { _ in true })
        }
    }

    @Test(
        arguments: [
            ("<plist>", .truncated(offset: 7)), ("<plist/>", .structure(offset: 8)), ("<plist><dict/></plist>", .empty),
            ("<plist></plist>", .structure(offset: 15)),
            ("<plist><array/></plist>", .notMap(offset: 7)), ("<plist><string>x</string></plist>", .notMap(offset: 7)),
            ("<plist><true/></plist>", .notMap(offset: 7)), ("<plist>x</plist>", .structure(offset: 7)),
            ("<plist><key>a</key></plist>", .structure(offset: 7)),
            ("<plist><dict><key>a</key><true/></dict><dict/></plist>", .structure(offset: 39)),
            ("<plist><dict><key>a</key><true/></dict><true/></plist>", .structure(offset: 39)),
            ("<plist><dict><key>a</key><true/></dict></plist><plist/>", .trailing(offset: 47)),
            ("<plist><dict><key>a</key><true/></dict></plist>x", .trailing(offset: 47)),
            ("<plist><dict><key>a</key><true/></dict>x</plist>", .structure(offset: 39)),
            ("<!DOCTYPE html><html/>", .unknownElement(offset: 15)), ("<!-- --><dict/>", .structure(offset: 8)),
            ("<html/>", .contradictsContentType(2)), ("<dict/>", .contradictsContentType(2)),
            ("{\"a\":1}", .contradictsContentType(2)), (" ", .contradictsContentType(2)), ("", .empty),
            ("bplist", .contradictsContentType(2)), ("bplist1", .contradictsContentType(2)),
            ("<plis", .contradictsContentType(2)),
            (" <?xml version='1.0'?><plist/>", .syntax(offset: 1)),
            ("<?xml version='1.0' encoding='ISO-8859-1'?><plist/>", .encoding(offset: 0)),
            ("<?xml version='1.0' encoding='UTF-16'?><plist/>", .encoding(offset: 0)),
            ("<?xml version='1.0' encoding='x'?><plist/>", .encoding(offset: 0)),
        ] as [(String, PayloadError)]) func wrongDocuments(text: String, expected: PayloadError)
    {
        #expect(decode(text) == .error(expected))
    }

    @Test func otherEncodings() {
        let text = declaration + list("<true/>")
        let little: [UInt8] = [0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] as [UInt8] }
        let big: [UInt8] = [0xFE, 0xFF] + text.utf8.flatMap { [0, $0] as [UInt8] }
        for bytes in [little, big, Array(little.dropFirst(2)), Array(big.dropFirst(2))] {
            #expect(decode(bytes) == .error(.contradictsContentType(2)))
        }
        let latin = array("<plist><dict><key>a</key><string>") + [0xE9] + array("</string></dict></plist>")
        #expect(decode(latin) == .error(.utf8(offset: offset + 8)))
    }

    /// Nothing is declared, nothing expanded, nothing fetched.
    @Test(
        arguments: [
            #"[ ]"#, #"[<!ENTITY a "b">]"#, #"[<!ENTITY % a "b"> %a;]"#, #"[<!ENTITY a SYSTEM "file:///etc/passwd">]"#,
            #"[<!ELEMENT plist ANY>]"#, #"[<!ATTLIST plist a CDATA "x">]"#, #"[<!NOTATION n SYSTEM "x">]"#,
            #"SYSTEM "http://127.0.0.1/x.dtd" [<!ENTITY a "b">]"#, #"[<!-- -->]"#,
        ]) func declarations(subset: String)
    {
        let text = "<!DOCTYPE plist \(subset)><plist><dict><key>a</key><string>&a;</string></dict></plist>"
        #expect(decode(text).isError { if case .entity = $0 { true } else { false } })
    }

    @Test(.timeLimit(.minutes(1))) func billionLaughs() {
        var text = #"<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY l0 "ha">"#
        for level in 1...30 {
            text += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        text += "]><plist><dict><key>a</key><string>&l30;</string></dict></plist>"
        #expect(decode(text).isError { if case .entity = $0 { true } else { false } })
        // The same without a declaration: the document type would have to be fetched.
        let external = doctype + "<plist><dict><key>a</key><string>&l30;</string></dict></plist>"
        #expect(decode(external) == .error(.entity(offset: doctype.utf8.count + offset + 8)))
    }

    @Test func nesting() {
        func arrays(_ depth: Int) -> String {
            list(String(repeating: "<array>", count: depth - 1) + String(repeating: "</array>", count: depth - 1))
        }
        let brackets = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        #expect(decode(arrays(32)) == .json(#"{"a":"# + brackets + "}"))
        #expect(decode(arrays(33)) == .error(.nesting(offset: offset + 31 * 7)))
        #expect(decode(arrays(4000)) == .error(.nesting(offset: offset + 31 * 7)))
        #expect(
            decode("<plist><dict>" + String(repeating: "<key>a</key><dict>", count: 32))
                == .error(.nesting(offset: 13 + 32 * 18 - 6)))
    }

    @Test func duplicates() {
        let text = "<key>a</key><integer>1</integer><key>b</key><true/><key>a</key><integer>2</integer>"
        #expect(decode("<plist><dict>\(text)</dict></plist>") == .json(#"{"a":2,"b":true}"#))
    }

    @Test func attributesMeanNothing() {
        #expect(
            decode("<plist version='9' x='y'><dict z=''><key k=''>a</key><true t='false'/></dict></plist>")
                == .json(#"{"a":true}"#))
    }

    @Test func sizes() {
        let frame = list("<string></string>").utf8.count
        for count in [Limits.inflated, Limits.inflated + 1] {
            let text = String(repeating: "x", count: count - frame)
            let outcome = decode(list("<string>\(text)</string>"))
            #expect(
                outcome == (count > Limits.inflated ? .error(.tooLong(length: count)) : .json("{\"a\":\"\(text)\"}")))
        }
        // Values whose JSON is much longer than they are.
        let data = String(repeating: "<data/>", count: (Limits.inflated - 100) / 7)
        guard case .json = decode(list("<array>\(data)</array>")) else {
            Issue.record("much data refused")
            return
        }
    }

    @Test func everyTruncationIsAnError() {
        let text =
            declaration + doctype
            + "<plist version='1.0'><dict><key>é</key><string>&lt;🔔<![CDATA[x]]></string><key>b</key><array><integer>12</integer>"
            + "<real>1.5</real><data>AAEC</data><date>2024-02-29T23:59:59Z</date><true/><!-- c --></array></dict></plist>"
        let bytes = array(text)
        for length in 0..<bytes.count {
            #expect(decode(Array(bytes.prefix(length))).isError { _ in true }, "\(length)")
        }
        #expect(
            decode(bytes) == .json(#"{"b":[12,1.5,{"$data":"AAEC"},"2024-02-29T23:59:59Z",true],"é":"<🔔x"}"#))
    }
}
