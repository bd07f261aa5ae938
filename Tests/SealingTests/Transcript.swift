/// Frames recorded with the reference server (Go) on loopback, 2026-08, as hex; the keys are throw-away.
enum Transcript {
    static let serverAddress = "sgn.test"
    static let deviceAddress = "adbc9bc237ed438f96bdd35bfc11ecaa@sgn.test"

    /// The device token.
    static let token =
        "73676e2e746573740000000000000000ef464179f45aa39cbd52ebdd09968c72"

    /// Its end-to-end key.
    static let endToEndKey =
        "688ef95c9288ac60af3eb93780b19c5efa49f8a760cf20ef7196a3fd601083f6"

    /// Its routing key, from C_FILTER.
    static let routingKey =
        "c21d06ff34deee52acfd3d32b0e8b6cacc7ead438bd74212ffebeb3607ec7b9a"

    /// The device's key pair.
    static let identity = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC5Q2WI1Yh1BK0b
        muqvXIA0vzlX8A4SCgGPNCQkAst3hrR3JPEPLewfRt2tyYt26LUURd5psMc4Ui07
        4zQOyQjWz7Ql0dH+iHQ+5WA9ACvdERoHrZUqcNLDM2YMqYtt6hGQCu/HjwZc2U5k
        9ps01n7mx9MRhs57P7FY0vcze8IJC28fZMtpWcdSyNvA6BKQKziYJHYIVwnJ8opb
        fZWCecWok3WIcrCQ7Ce3yVr+pk/sRCvDQ1I87lEPApYL2wyyCJrwmU67RuVW5T82
        alNKumrvZ1nIyyvtXBLOqiRgMutaO1khpzyMSBw7vrfueAk3mkivK2Rt7QE3Ki/n
        9fO7iUc/AgMBAAECggEAQ4FTVfC4sCrsCMsCCLPj41RqSKin99q9hrixEo4SJZNn
        3qIPVECfcSYZUGHH96QDl0d+K3TGorcO1GuNZHXMSrmUItO5eM2vzds2ngOZ+Atr
        OLD/UV+a7JWl8ac1ru9DRwE1Lbnnz50++3sAQtiFlQHq3tAIHNCwhnUYriHCKhjp
        fwNNOJsJ82Ka0dWeLQlf1N1bUstbHExUwSzaIQj53baO+HszuT6CUaugFC4VuoH7
        e+y3FHl5vy9j2lrE5siMT+eSQ64DO9uuSYAIzVUJv8XZNF6GpHmkuL2XWYVPBclt
        9J9yXCThGH7n4rrDlKWp3+cQ4qcl2RznG3ZXRnd0AQKBgQDnLfH8S9C2QqaMMCnF
        hUAElnmXk3SPPhgqWQiMwq71DO0yW5miYyseDXLFGwDtRLYJHRiWfdLJXst49ma7
        1OKBSBBIFdzVd9R6aMBM0ZSXR5d6nLEZAl8/Tmg5kANnRRFPiJfC7mNTTXkEm2rw
        eQSorE8sEgehW/H0fHiTGVLqwQKBgQDNJ21cUuBuTamTst87xqgrtNrO2KPlEQwx
        Cea4J8nXI9XPaBYSrSwzxc3cpSUmh2XDTdRsqTtz3sWeIxr1rpt5tQPQaNz+sujd
        ylZh7IVgKwhK85Zlj3nwuGgqi0THdWJtyfkEK37B7ShHrObHcsHk5331iCYelqqM
        +cvoACKx/wKBgCcfhGtRHVIq92qUIA2YXlwoZw162+f99zL7fFHuBJPeCypRjC+K
        HtroJbsrtb1xumjSbr3RL2H60+51rK8u+OIuIutAH+5UaDYLEjgt47qyV/VdHS+B
        UkMxbrwHHjxU2PgfwqcvlsmbO9bGwpNNt7cf6gooRvhMyia5BeLHD1xBAoGACBhY
        Ll5u0Ktr15IlUNyD4kWepK7TuMQ1cPHtErMvObgGRcrbpB0FM33Io744ew64qz40
        9Zyv5eCSd6z28V7Ub7b+0Yhxv/MbUTUct3x3vtWz3BFEi/lfXGpKYfNg4WX2XlKr
        6sg0lj5faoSeDpyunfOserXGm0pirHFm5F6s/80CgYEAxNcEGa4hpzaLQqhoVzzV
        BT/fB5frm0QBzXk3yUMePcod6hvXDZLBgsfsOhahXrety6VuJ+5NJPgqCK95/Kjs
        8EOtUdYqCoj+tN+NGKWdqQOxagQJpF9u5GtaATlpmgeVOpisXinUBBjolIgJsIZ0
        RYkXUrk/UmeewLNo0sxz7Sk=
        -----END PRIVATE KEY-----

        """

    /// C_REGISTER.
    static let register =
        "5302280000000134012630820122300d06092a864886f70d01010105000382010f003082010a0282010100b9436588d58875"
        + "04ad1b9aeaaf5c8034bf3957f00e120a018f34242402cb7786b47724f10f2dec1f46ddadc98b76e8b51445de69b0c738522d"
        + "3be3340ec908d6cfb425d1d1fe88743ee5603d002bdd111a07ad952a70d2c333660ca98b6dea11900aefc78f065cd94e64f6"
        + "9b34d67ee6c7d31186ce7b3fb158d2f7337bc2090b6f1f64cb6959c752c8dbc0e812902b38982476085709c9f28a5b7d9582"
        + "79c5a893758872b090ec27b7c95afea64fec442bc343523cee510f02960bdb0cb2089af0994ebb46e556e53f366a534aba6a"
        + "ef6759c8cb2bed5c12ceaa246032eb5a3b5921a73c8c481c3bbeb7ee7809379a48af2b646ded01372a2fe7f5f3bb89473f02"
        + "03010001000000006b0cc6da00000002"

    /// S_CHALLENGE to it.
    static let registerChallenge =
        "530211000000002096c11e854eed24129f2672fd832777d11228fcc6c3452d49108f361f29d85f08"

    /// C_REGISTER_RESP.
    static let registerResponse =
        "530229000000010a000000006b0cc6da01002d626eeefd80317e6d6526f75c83fbbccac5225ee825e3c4278cb1c135d14b8e"
        + "275ba621ac96ff3cf89ab212ad2c52d29d61f669c8633e62ff0b25aba8cb1fb43acc5593c229f964ea72728e79a98d1aed2a"
        + "62d8ee65e503c6c3a13da89630088da9fba6b7bac6cd8218ec2f83a5c531c82a37a296f81fc97d584a784b2f46a3c47a1d50"
        + "84bbecd4cea5c70f97585918f0b243a2f9e74db8e22551f61123c7a71c7db7593e3bf2ba4d062dd46b4684504a91bdbcd297"
        + "8fdfd246c26116fb35a9b9cc102c6f6675a93ff0a8ca6b42f7e2c2b1e237b8932364efb154b149f0e281ffb518920697373e"
        + "af2519489075a3cfe45337de27c6ff486c421ff69e48c78c"

    /// S_CHALLENGE to a C_LOGIN.
    static let firstChallenge =
        "5302110000000020f7d2809a4b5ebc1c0ec6a2c45c9a02da3c62b8baab190f6c870598fd0651b8a0"

    /// C_LOGIN_RESP.
    static let firstResponse =
        "530221000000010a000000006b0cc6da010074aefd899a4f3c3a9f90cf68e5b0d6da0cbd71ec22117f975f13ef564f57b742"
        + "1b0770167fb228d6e206aa474dd6a6f711faa98e10fa937dbb5c6c3fb8adbf14a6cc456b6053241a81b99364a0e756398b24"
        + "ffe377a0a6c02b262aa9ca73de0714d456c08c5192ae2733736cb4da9694f68aa814cb4cffd14b219ff3fb673cb2f899ada6"
        + "4d093bc64580d6072cd87a075abc6df3c8054f0e2467beaae3103bde66cc3f9802bbcf08242794b7b59634c320b5212886a0"
        + "801e140a3d2a3d333ef1bba3b2f61d3f5c85cbe2f1b172a35f10efade7527335368b42881da317dabbba0702f1a6a42fc192"
        + "30afb2f97d0dea576ac999039275621dbddbe2603c5a2a73"

    /// S_CHALLENGE to a C_LOGIN.
    static let secondChallenge =
        "5302110000000020b503e3cc184265b0541ec055a7a63cc2cbf8727365bcc6da02176a8733fdda6c"

    /// C_LOGIN_RESP.
    static let secondResponse =
        "530221000000010a000000006b0cc6db0100b2f052776ce6ded489283b5ee25caf55f0f2301d9c41b7f1cfc7aa0979b628e6"
        + "4bde3c46d915161d6718ca1691b9e991cdb941c59a2cbaf98f732cf0a00c734006c48d708d70e9f7c7f14787186092cda8ad"
        + "aa3ffbdb2a53c8e362720258cdb622a3d611109d578414cf1c0a2dec824e472c3def786af913c0546550e5303ebc4471851f"
        + "beef16448a4f085f40c38664fc4569d7cf3a5bd885605458a5f58bef5292d8118acc41e63f2fe2dee1fd07588297d779664a"
        + "88918644e5a6021da6453e3d45ebb14ed0e1880488bc12bf4d1ad1c860f987c7442b808f8158f95abd8dd213de00609e6b55"
        + "c1944626e201e62968663be8a1552590ce12cf9b0c543ff6"
}
