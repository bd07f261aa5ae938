@main
struct TestbedMain {
    static func main() {}
}
