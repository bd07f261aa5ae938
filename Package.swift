// swift-tools-version: 6.2
import PackageDescription

// Nothing here knows about Embedded Swift or the boards: the Swift SDK bundles that
// cross/build makes carry every embedded, static and cross-compiling flag.

/// Settings of every Swift target.
let common: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),  // @_lifetime on ~Escapable types
    .treatAllWarnings(as: .error),
]

/// Settings of what ends up on a board: the normal build then rejects much of what Embedded Swift rejects.
let board = common + [.treatWarning("EmbeddedRestrictions", as: .error)]

/// The libraries of the system that CBoard declares. All are linked statically on the boards.
let libraries = ["ssl", "crypto", "sqlite3", "z", "gpiod", "cares", "sodium", "expat", "jansson", "inih", "m"]

let package = Package(
    name: "skyglow-gateway",
    products: [
        .executable(name: "skyglowd", targets: ["skyglowd"]),
        .executable(name: "skyglow-testbed", targets: ["skyglow-testbed"]),
        .executable(name: "skyglow-simulate", targets: ["skyglow-simulate"]),
    ],
    targets: [
        .target(
            name: "CBoard",
            cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
            linkerSettings: libraries.map { .linkedLibrary($0) }),
        .target(name: "Bytes", swiftSettings: board),
        .target(name: "SGP", dependencies: ["Bytes"], swiftSettings: board),
        .target(name: "Payload", dependencies: ["Bytes", "CBoard"], swiftSettings: board),
        .target(name: "Sealing", dependencies: ["Bytes", "CBoard"], swiftSettings: board),
        .target(name: "Relay", dependencies: ["Bytes", "Payload", "Sealing"], swiftSettings: board),
        .target(name: "Store", dependencies: ["Bytes", "CBoard"], swiftSettings: board),
        .target(name: "Loop", dependencies: ["Bytes", "CBoard"], swiftSettings: board),
        .target(name: "Panel", dependencies: ["Bytes", "CBoard"], swiftSettings: board),
        .target(
            name: "Gateway",
            dependencies: ["Bytes", "CBoard", "SGP", "Payload", "Sealing", "Relay", "Store", "Loop", "Panel"],
            swiftSettings: board),
        .executableTarget(name: "skyglowd", dependencies: ["Gateway"], swiftSettings: board),
        .target(name: "Testbed", dependencies: ["Bytes", "CBoard"], swiftSettings: common),
        .target(
            name: "Simulator", dependencies: ["SGP", "Gateway", "Payload", "Store", "Bytes", "CBoard"],
            // Without the checks a simulated month takes a fifth less.
            swiftSettings: common
                + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]),
        .executableTarget(name: "skyglow-simulate", dependencies: ["Simulator", "CBoard"], swiftSettings: common),
        .executableTarget(name: "skyglow-testbed", dependencies: ["Testbed"], swiftSettings: common),
        .target(
            name: "Vectors", path: "Tests/Vectors", exclude: ["cronstable-capture.json", "hpke-auth-vector.json"],
            swiftSettings: common),
        .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: common),
        .testTarget(
            name: "PayloadTests", dependencies: ["Payload", "Sealing", "Bytes", "CBoard", "Vectors"],
            exclude: ["Fixtures/make"], swiftSettings: common),
        .testTarget(name: "SealingTests", dependencies: ["Sealing", "Bytes", "Vectors"], swiftSettings: common),
        .testTarget(
            name: "RelayTests", dependencies: ["Relay", "Payload", "Sealing", "Bytes", "Vectors"],
            swiftSettings: common),
        .testTarget(name: "TestbedTests", dependencies: ["Testbed", "CBoard"], swiftSettings: common),
        .testTarget(name: "StoreTests", dependencies: ["Store", "Bytes", "CBoard"], swiftSettings: common),
        .testTarget(name: "SGPTests", dependencies: ["SGP", "Bytes"], swiftSettings: common),
        .testTarget(
            name: "SimulatorTests", dependencies: ["Simulator", "SGP", "Store", "Bytes", "CBoard"],
            swiftSettings: common),
        .testTarget(name: "LoopTests", dependencies: ["Loop", "Testbed", "Bytes", "CBoard"], swiftSettings: common),
        .testTarget(name: "PanelTests", dependencies: ["Panel", "Bytes", "CBoard"], swiftSettings: common),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "Panel", "Loop", "SGP", "Payload", "Sealing", "Relay", "Store", "Testbed", "Bytes", "CBoard",
            ],
            swiftSettings: common),
    ],
    swiftLanguageModes: [.v6]
)
