import Bytes
import Payload
import Testing

@testable import Gateway

@Suite struct ConditionTests {
    static let document = """
        {"aps":{"alert":{"title":"Fire in the \\"shed\\""},"interruption-level":"critical","badge":3},
        "n":5,"big":9223372036854775807,"half":2.5,"whole":4.0,"yes":true,"no":false,"nothing":null,"text":"5","":1,
        "a.b":{"c d":"x"},"list":[1,"two",{"k":"v"},null,true],"empty":[],"date":"2026-11-30","and":"or","true":"word"}
        """

    /// Every expectation follows from the comment of `Condition.holds`.
    @Test(
        arguments: [
            ("aps.interruption-level == critical", true), ("aps.interruption-level == passive", false),
            ("aps.interruption-level==critical", true), ("aps.interruption-level != critical", false),
            ("aps.alert.title contains shed", true), ("aps.alert.title contains 'in the'", true),
            ("aps.alert.title contains Shed", false), ("aps.alert.title contains '\"shed\"'", true),
            ("aps.alert.title contains ''", true), ("aps.alert contains title", false),
            ("n == 5", true), ("n == 5.0", true), ("n == '5'", false), ("n == 6", false), ("n != 6", true),
            ("n < 6", true), ("n < 5", false), ("n <= 5", true), ("n > 4", true), ("n > 5", false), ("n >= 5", true),
            ("n >= 5.5", false), ("n < 5.5", true), ("n > -1", true), ("n < 1e3", true), ("n == five", false),
            ("n > five", false), ("n < five", false), ("n <= five", false), ("n >= '1'", false),
            ("big == 9223372036854775807", true), ("big == 9223372036854775808", false),
            ("big < 9223372036854775808", true), ("big <= 9223372036854775806", false), ("big < 1e300", true),
            ("big > -1e300", true),
            ("half == 2.5", true), ("half > 2", true), ("half < 3", true), ("half >= 2.5", true), ("half < 2", false),
            ("whole == 4", true), ("whole <= 4", true), ("whole != 4", false),
            ("yes == true", true), ("yes == false", false), ("yes == 'true'", false), ("yes == 1", false),
            ("no == false", true), ("no != true", true), ("yes > false", false), ("true == word", true),
            ("nothing == null", true), ("nothing != null", false), ("nothing exists", true), ("n == null", false),
            ("gone == null", false),
            ("text == 5", true), ("text == '5'", true), ("text == 5.0", false), ("text < 6", true),
            ("date >= 2026-11-01", true), ("date < 2026-12-01", true), ("date < '2026-11-30 x'", true),
            ("gone exists", false), ("gone absent", true), ("gone == x", false), ("gone != x", true),
            ("gone < 1", false),
            ("gone contains x", false), ("aps.gone.more absent", true), ("n.more absent", true), ("n exists", true),
            ("aps exists", true), ("aps == aps", false), ("aps != aps", true),
            ("'' == 1", true), ("\"a.b\".'c d' == x", true), ("a.b absent", true),
            ("list contains 1", true), ("list contains two", true), ("list contains 'two'", true),
            ("list contains three", false), ("list contains null", true), ("list contains true", true),
            ("list contains '1'", false), ("empty contains ''", false), ("list.0 == 1", true), ("list.1 == two", true),
            ("list.2.k == v", true), ("list.5 exists", false), ("list.4 exists", true), ("list.x absent", true),
            ("list.99999999999999999999 absent", true), ("empty.0 absent", true),
            ("and == or", true), ("and == or and n == 5", true), ("n == 5 and and == or", true),
        ])
    func holds(text: String, expected: Bool) throws {
        let conditions = try Condition.parse(Array(text.utf8))
        let held = try withDocument(Self.document) { document in
            var all = true
            for condition in conditions where !condition.holds(document) { all = false }
            return all
        }
        #expect(held == expected)
    }

    static let operators = "one of == != < <= > >= contains exists absent"

    @Test(
        arguments: [
            ("", 0, "a field is missing"), ("   ", 3, "a field is missing"), ("== 1", 0, "a field is missing"),
            ("a", 1, "expected \(operators) after the field"), ("a  ", 3, "expected \(operators) after the field"),
            ("a.", 2, "a part of the field is missing after `.`"),
            ("a..b == 1", 2, "a part of the field is missing after `.`"), (".a == 1", 0, "a field is missing"),
            ("a = 1", 2, "expected \(operators), not `=`"), ("a === 1", 2, "expected \(operators), not `===`"),
            ("a is 1", 2, "expected \(operators), not `is`"), ("a 'x'", 2, "expected \(operators), not `'x'`"),
            ("a =", 2, "expected \(operators), not `=`"), ("a ==", 4, "a value is missing after `==`"),
            ("a == ", 5, "a value is missing after `==`"), ("a contains", 10, "a value is missing after `contains`"),
            ("a == 'x", 5, "this quote is not closed"), ("'a == x", 0, "this quote is not closed"),
            ("a.\"b == x", 2, "this quote is not closed"),
            ("a == x'y'", 6, "a quote within a value: put the whole value in quotes"),
            ("a == 'x'y", 8, "expected a space after the quoted value"),
            ("a == 1 or b == 2", 7, "expected `and` or the end, not `or`"),
            ("a == 1 && b == 2", 7, "expected `and` or the end, not `&&`"),
            ("a exists x", 9, "expected `and` or the end, not `x`"),
            ("a == b c", 7, "expected `and` or the end, not `c`"),
            ("a == 1 and", 10, "a field is missing"), ("a == 1 and ", 11, "a field is missing"),
            ("a exists and and", 16, "expected \(operators) after the field"),
        ])
    func faults(text: String, offset: Int, message: String) {
        do throws(ConditionError) {
            _ = try Condition.parse(Array(text.utf8))
            Issue.record("no error")
        } catch {
            #expect(error == ConditionError(offset: offset, message: message))
        }
    }

    @Test(arguments: [1, 7, 8, 9]) func count(number: Int) throws {
        let text = Array(repeating: "a == 1", count: number).joined(separator: " and ")
        guard number > 8 else {
            #expect(try Condition.parse(Array(text.utf8)).count == number)
            return
        }
        #expect(throws: ConditionError(offset: 88, message: "more than 8 conditions")) {
            try Condition.parse(Array(text.utf8))
        }
    }

    @Test(
        arguments: [
            ("5", Condition.Operand.Number.int(5)), ("-5", .int(-5)), ("9223372036854775808", .double(0x1p63)),
            ("-9223372036854775808", .int(.min)), ("0.5", .double(0.5)), ("1e2", .double(100)), ("1E+2", .double(100)),
            ("2.5e-1", .double(0.25)), ("1e999", nil), ("+5", nil), ("5.", nil), (".5", nil), ("1e", nil),
            ("0x10", nil),
            ("inf", nil), ("nan", nil), ("1_000", nil), ("--1", nil), ("-", nil),
        ])
    func numbers(text: String, number: Condition.Operand.Number?) throws {
        let conditions = try Condition.parse(Array("a == \(text)".utf8))
        #expect(conditions.first?.operand.number == number)
    }
}
