import CBoard
import Store

/// SQLite's way to a simulated disk, registered under a name for as long as this lives.
final class DiskVFS {
    let name: String
    let disk: Disk
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let cName: UnsafeMutablePointer<CChar>
    /// The shared memory of the log's index: ordinary memory, for there is one process.
    fileprivate var regions: [UnsafeMutableRawPointer] = []
    fileprivate var regionSize = 0

    /// - Parameter name: unique in the process.
    init(name: String, disk: Disk) {
        precondition(SQLiteMemory.installed == SQLITE_OK)
        self.name = name
        self.disk = disk
        cName = strdup(name)
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: sqlite3_vfs())
        vfs.pointee.iVersion = 1
        vfs.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        vfs.pointee.mxPathname = 512
        vfs.pointee.zName = UnsafePointer(cName)
        vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        installFunctions()
        precondition(sqlite3_vfs_register(vfs, 0) == SQLITE_OK)
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        vfs.deallocate()
        free(cName)
        dropRegions()
        methods.deallocate()
    }

    fileprivate func dropRegions() {
        for region in regions { free(region) }
        regions.removeAll()
    }

    /// What SQLite keeps of an open file; its own part comes first.
    fileprivate struct OpenFile {
        var base: sqlite3_file
        var file: Unmanaged<SimulatedFile>?
        var vfs: Unmanaged<DiskVFS>?
    }

    fileprivate lazy var methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        install(&methods.pointee)
        return methods
    }()

    fileprivate static func open(_ file: UnsafeMutablePointer<sqlite3_file>?) -> (SimulatedFile, DiskVFS)? {
        guard let open = opened(file), let contents = open.pointee.file, let vfs = open.pointee.vfs else { return nil }
        return (contents.takeUnretainedValue(), vfs.takeUnretainedValue())
    }

    fileprivate static func opened(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<OpenFile>? {
        guard let file else { return nil }
        return UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
    }

    fileprivate static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> DiskVFS? {
        guard let data = vfs?.pointee.pAppData else { return nil }
        return Unmanaged<DiskVFS>.fromOpaque(data).takeUnretainedValue()
    }
}

// Extended result codes, which are macros of SQLite's.
private let failedRead = SQLITE_IOERR | 1 << 8
private let shortRead = SQLITE_IOERR | 2 << 8
private let failedWrite = SQLITE_IOERR | 3 << 8
private let failedSync = SQLITE_IOERR | 4 << 8
private let failedTruncate = SQLITE_IOERR | 6 << 8
private let failedDelete = SQLITE_IOERR | 10 << 8
private let powersafeOverwrite: Int32 = 0x0000_1000

extension DiskVFS {
    private func installFunctions() {
        vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
            guard let own = DiskVFS.of(vfs), let open = DiskVFS.opened(file) else { return SQLITE_CANTOPEN }
            open.pointee.base.pMethods = nil
            // SQLite makes the database where it finds none; here an empty file is there already.
            let text = name.map { String(cString: $0) } ?? "temporary"
            guard let contents = own.disk.open(text, creating: true) else { return SQLITE_CANTOPEN }
            open.pointee.file = Unmanaged.passRetained(contents)
            open.pointee.vfs = Unmanaged.passUnretained(own)
            open.pointee.base.pMethods = UnsafePointer(own.methods)
            outFlags?.pointee = flags
            return SQLITE_OK
        }
        vfs.pointee.xDelete = { vfs, name, _ in
            guard let own = DiskVFS.of(vfs), let name else { return failedDelete }
            guard own.disk.file(String(cString: name)) != nil else { return SQLITE_OK }
            return own.disk.delete(String(cString: name)) ? SQLITE_OK : failedDelete
        }
        vfs.pointee.xAccess = { vfs, name, _, result in
            guard let own = DiskVFS.of(vfs), let name else { return SQLITE_IOERR }
            result?.pointee = own.disk.file(String(cString: name)) == nil ? 0 : 1
            return SQLITE_OK
        }
        vfs.pointee.xFullPathname = { _, name, size, out in
            guard let name, let out, strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(out, name)
            return SQLITE_OK
        }
        vfs.pointee.xRandomness = { _, size, out in
            // Not from the seed: nothing that is decided depends on it.
            if let out { memset(out, 0x5A, Int(size)) }
            return size
        }
        vfs.pointee.xSleep = { _, microseconds in microseconds }
        vfs.pointee.xCurrentTime = { _, out in
            out?.pointee = 2_460_000.5
            return SQLITE_OK
        }
        vfs.pointee.xGetLastError = { _, _, _ in 0 }
    }

    private func install(_ methods: inout sqlite3_io_methods) {
        methods.iVersion = 2
        methods.xClose = { file in
            guard let open = DiskVFS.opened(file) else { return SQLITE_OK }
            open.pointee.file?.release()
            open.pointee.file = nil
            return SQLITE_OK
        }
        methods.xRead = { file, out, count, offset in
            guard let (contents, own) = DiskVFS.open(file), let out, !own.disk.fails(.read) else { return failedRead }
            let have = max(min(contents.current.count - Int(offset), Int(count)), 0)
            if have > 0 {
                contents.current.withUnsafeBytes {
                    out.copyMemory(from: $0.baseAddress! + Int(offset), byteCount: have)
                }
            }
            guard have < Int(count) else { return SQLITE_OK }
            memset(out + have, 0, Int(count) - have)
            return shortRead
        }
        methods.xWrite = { file, bytes, count, offset in
            guard let (contents, own) = DiskVFS.open(file), let bytes, !own.disk.fails(.write) else {
                return failedWrite
            }
            guard own.disk.hasRoom(contents, upTo: Int(offset) + Int(count)) else { return SQLITE_FULL }
            contents.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(offset))
            return SQLITE_OK
        }
        methods.xTruncate = { file, size in
            guard let (contents, own) = DiskVFS.open(file), !own.disk.fails(.write) else { return failedTruncate }
            contents.truncate(to: Int(size))
            return SQLITE_OK
        }
        methods.xSync = { file, _ in
            guard let (contents, own) = DiskVFS.open(file), own.disk.sync(contents) else { return failedSync }
            return SQLITE_OK
        }
        methods.xFileSize = { file, size in
            guard let (contents, _) = DiskVFS.open(file) else { return SQLITE_IOERR }
            size?.pointee = Int64(contents.current.count)
            return SQLITE_OK
        }
        methods.xLock = { _, _ in SQLITE_OK }
        methods.xUnlock = { _, _ in SQLITE_OK }
        methods.xCheckReservedLock = { _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 4096 }
        methods.xDeviceCharacteristics = { _ in powersafeOverwrite }
        methods.xShmMap = { file, page, size, extend, out in
            guard let (_, own) = DiskVFS.open(file) else { return SQLITE_IOERR }
            while own.regions.count <= Int(page) {
                guard extend != 0 else {
                    out?.pointee = nil
                    return SQLITE_OK
                }
                own.regions.append(calloc(1, Int(size)))
            }
            out?.pointee = own.regions[Int(page)]
            return SQLITE_OK
        }
        methods.xShmLock = { _, _, _, _ in SQLITE_OK }
        methods.xShmBarrier = { _ in }
        methods.xShmUnmap = { file, _ in
            // The last user of a file leaves: there is one.
            DiskVFS.open(file)?.1.dropRegions()
            return SQLITE_OK
        }
    }
}
