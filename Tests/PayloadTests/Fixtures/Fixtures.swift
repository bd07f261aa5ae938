// Written by Fixtures/make.

/// Documents as other programs encode them.
enum Fixtures {
    static let all: [Fixture] = [
        Fixture(
            name: "json, alert string", type: 1,
            base64: "eyJhcHMiOiB7ImFsZXJ0IjogIlRoZSBrZXR0bGUgYm9pbHMiLCAiYmFkZ2UiOiAxLCAic291bmQiOiAiZGVmYXVsdCJ9fQ==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJUaGUga2V0dGxlIGJvaWxzIiwiYmFkZ2UiOjEsInNvdW5kIjoiZGVmYXVsdCJ9fQ=="),
        Fixture(
            name: "json, indented, alert string", type: 1,
            base64: "ewogImFwcyI6IHsKICAiYWxlcnQiOiAiVGhlIGtldHRsZSBib2lscyIsCiAgImJhZGdlIjogMSwKICAic291bmQiOiAiZGVm"
                + "YXVsdCIKIH0KfQ==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJUaGUga2V0dGxlIGJvaWxzIiwiYmFkZ2UiOjEsInNvdW5kIjoiZGVmYXVsdCJ9fQ=="),
        Fixture(
            name: "json, alert map", type: 1,
            base64: "eyJhcHMiOiB7ImFsZXJ0IjogeyJ0aXRsZSI6ICJDYWZcdTAwZTkgPCY+IiwgInN1YnRpdGxlIjogIlx1MDVlOVx1MDVkY1x1"
                + "MDVkNVx1MDVkZCIsICJib2R5IjogImxpbmVcbmxpbmVcdFwiJyJ9LCAiY2F0ZWdvcnkiOiAiQyIsICJ0aHJlYWQtaWQiOiAi"
                + "dCJ9LCAiaWRzIjogWzEsIDI1NSwgMjU2LCA2NTUzNSwgNjU1MzYsIDQyOTQ5NjcyOTUsIDQyOTQ5NjcyOTYsIDkyMjMzNzIw"
                + "MzY4NTQ3NzU4MDcsIC0xLCAtMTI4LCAtMjE0NzQ4MzY0OCwgLTkyMjMzNzIwMzY4NTQ3NzU4MDhdfQ==",
            expected: "eyJhcHMiOnsiYWxlcnQiOnsiYm9keSI6ImxpbmVcbmxpbmVcdFwiJyIsInN1YnRpdGxlIjoi16nXnNeV150iLCJ0aXRsZSI6"
                + "IkNhZsOpIDwmPiJ9LCJjYXRlZ29yeSI6IkMiLCJ0aHJlYWQtaWQiOiJ0In0sImlkcyI6WzEsMjU1LDI1Niw2NTUzNSw2NTUz"
                + "Niw0Mjk0OTY3Mjk1LDQyOTQ5NjcyOTYsOTIyMzM3MjAzNjg1NDc3NTgwNywtMSwtMTI4LC0yMTQ3NDgzNjQ4LC05MjIzMzcy"
                + "MDM2ODU0Nzc1ODA4XX0="),
        Fixture(
            name: "json, indented, alert map", type: 1,
            base64: "ewogImFwcyI6IHsKICAiYWxlcnQiOiB7CiAgICJib2R5IjogImxpbmVcbmxpbmVcdFwiJyIsCiAgICJzdWJ0aXRsZSI6ICLX"
                + "qdec15XXnSIsCiAgICJ0aXRsZSI6ICJDYWbDqSA8Jj4iCiAgfSwKICAiY2F0ZWdvcnkiOiAiQyIsCiAgInRocmVhZC1pZCI6"
                + "ICJ0IgogfSwKICJpZHMiOiBbCiAgMSwKICAyNTUsCiAgMjU2LAogIDY1NTM1LAogIDY1NTM2LAogIDQyOTQ5NjcyOTUsCiAg"
                + "NDI5NDk2NzI5NiwKICA5MjIzMzcyMDM2ODU0Nzc1ODA3LAogIC0xLAogIC0xMjgsCiAgLTIxNDc0ODM2NDgsCiAgLTkyMjMz"
                + "NzIwMzY4NTQ3NzU4MDgKIF0KfQ==",
            expected: "eyJhcHMiOnsiYWxlcnQiOnsiYm9keSI6ImxpbmVcbmxpbmVcdFwiJyIsInN1YnRpdGxlIjoi16nXnNeV150iLCJ0aXRsZSI6"
                + "IkNhZsOpIDwmPiJ9LCJjYXRlZ29yeSI6IkMiLCJ0aHJlYWQtaWQiOiJ0In0sImlkcyI6WzEsMjU1LDI1Niw2NTUzNSw2NTUz"
                + "Niw0Mjk0OTY3Mjk1LDQyOTQ5NjcyOTYsOTIyMzM3MjAzNjg1NDc3NTgwNywtMSwtMTI4LC0yMTQ3NDgzNjQ4LC05MjIzMzcy"
                + "MDM2ODU0Nzc1ODA4XX0="),
        Fixture(
            name: "json, emoji", type: 1,
            base64: "eyJhcHMiOiB7ImFsZXJ0IjogIlx1ZDgzZFx1ZGQxNCBcdWQ4M2RcdWRjNjlcdTIwMGRcdWQ4M2RcdWRjNjcgXHU2NWU1XHU2"
                + "NzJjIn0sICJcdWQ4M2RcdWRkMTEiOiAiXHVkODNkXHVkZDExIn0=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiLwn5SUIPCfkanigI3wn5GnIOaXpeacrCJ9LCLwn5SRIjoi8J+UkSJ9"),
        Fixture(
            name: "json, indented, emoji", type: 1,
            base64: "ewogImFwcyI6IHsKICAiYWxlcnQiOiAi8J+UlCDwn5Gp4oCN8J+RpyDml6XmnKwiCiB9LAogIvCflJEiOiAi8J+UkSIKfQ==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiLwn5SUIPCfkanigI3wn5GnIOaXpeacrCJ9LCLwn5SRIjoi8J+UkSJ9"),
        Fixture(
            name: "json, numbers", type: 1,
            base64: "eyJhIjogWzAuMSwgLTAuMCwgMWUrMzA4LCA1ZS0zMjQsIDMuMCwgMC41LCAxLjVlKzMwMCwgOTAwNzE5OTI1NDc0MDk5Mi4w"
                + "LCAtMi41LCAxMjM0NTYuNzg5XSwgImIiOiBbdHJ1ZSwgZmFsc2VdfQ==",
            expected: "eyJhIjpbMC4xLC0wLjAsMWUrMzA4LDVlLTMyNCwzLjAsMC41LDEuNWUrMzAwLDkwMDcxOTkyNTQ3NDA5OTIuMCwtMi41LDEy"
                + "MzQ1Ni43ODldLCJiIjpbdHJ1ZSxmYWxzZV19"),
        Fixture(
            name: "json, indented, numbers", type: 1,
            base64: "ewogImEiOiBbCiAgMC4xLAogIC0wLjAsCiAgMWUrMzA4LAogIDVlLTMyNCwKICAzLjAsCiAgMC41LAogIDEuNWUrMzAwLAog"
                + "IDkwMDcxOTkyNTQ3NDA5OTIuMCwKICAtMi41LAogIDEyMzQ1Ni43ODkKIF0sCiAiYiI6IFsKICB0cnVlLAogIGZhbHNlCiBd"
                + "Cn0=",
            expected: "eyJhIjpbMC4xLC0wLjAsMWUrMzA4LDVlLTMyNCwzLjAsMC41LDEuNWUrMzAwLDkwMDcxOTkyNTQ3NDA5OTIuMCwtMi41LDEy"
                + "MzQ1Ni43ODldLCJiIjpbdHJ1ZSxmYWxzZV19"),
        Fixture(
            name: "json, long", type: 1,
            base64: "eyJhcHMiOiB7ImFsZXJ0IjogInh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eCJ9LCAibWFueSI6IFswLCAxLCAyLCAzLCA0LCA1LCA2LCA3LCA4LCA5"
                + "LCAxMCwgMTEsIDEyLCAxMywgMTQsIDE1LCAxNiwgMTcsIDE4LCAxOSwgMjAsIDIxLCAyMiwgMjMsIDI0LCAyNSwgMjYsIDI3"
                + "LCAyOCwgMjksIDMwLCAzMSwgMzIsIDMzLCAzNCwgMzUsIDM2LCAzNywgMzgsIDM5LCA0MCwgNDEsIDQyLCA0MywgNDQsIDQ1"
                + "LCA0NiwgNDcsIDQ4LCA0OSwgNTAsIDUxLCA1MiwgNTMsIDU0LCA1NSwgNTYsIDU3LCA1OCwgNTksIDYwLCA2MSwgNjIsIDYz"
                + "LCA2NCwgNjUsIDY2LCA2NywgNjgsIDY5LCA3MCwgNzEsIDcyLCA3MywgNzQsIDc1LCA3NiwgNzcsIDc4LCA3OSwgODAsIDgx"
                + "LCA4MiwgODMsIDg0LCA4NSwgODYsIDg3LCA4OCwgODksIDkwLCA5MSwgOTIsIDkzLCA5NCwgOTUsIDk2LCA5NywgOTgsIDk5"
                + "LCAxMDAsIDEwMSwgMTAyLCAxMDMsIDEwNCwgMTA1LCAxMDYsIDEwNywgMTA4LCAxMDksIDExMCwgMTExLCAxMTIsIDExMywg"
                + "MTE0LCAxMTUsIDExNiwgMTE3LCAxMTgsIDExOSwgMTIwLCAxMjEsIDEyMiwgMTIzLCAxMjQsIDEyNSwgMTI2LCAxMjcsIDEy"
                + "OCwgMTI5LCAxMzAsIDEzMSwgMTMyLCAxMzMsIDEzNCwgMTM1LCAxMzYsIDEzNywgMTM4LCAxMzksIDE0MCwgMTQxLCAxNDIs"
                + "IDE0MywgMTQ0LCAxNDUsIDE0NiwgMTQ3LCAxNDgsIDE0OSwgMTUwLCAxNTEsIDE1MiwgMTUzLCAxNTQsIDE1NSwgMTU2LCAx"
                + "NTcsIDE1OCwgMTU5LCAxNjAsIDE2MSwgMTYyLCAxNjMsIDE2NCwgMTY1LCAxNjYsIDE2NywgMTY4LCAxNjksIDE3MCwgMTcx"
                + "LCAxNzIsIDE3MywgMTc0LCAxNzUsIDE3NiwgMTc3LCAxNzgsIDE3OSwgMTgwLCAxODEsIDE4MiwgMTgzLCAxODQsIDE4NSwg"
                + "MTg2LCAxODcsIDE4OCwgMTg5LCAxOTAsIDE5MSwgMTkyLCAxOTMsIDE5NCwgMTk1LCAxOTYsIDE5NywgMTk4LCAxOTksIDIw"
                + "MCwgMjAxLCAyMDIsIDIwMywgMjA0LCAyMDUsIDIwNiwgMjA3LCAyMDgsIDIwOSwgMjEwLCAyMTEsIDIxMiwgMjEzLCAyMTQs"
                + "IDIxNSwgMjE2LCAyMTcsIDIxOCwgMjE5LCAyMjAsIDIyMSwgMjIyLCAyMjMsIDIyNCwgMjI1LCAyMjYsIDIyNywgMjI4LCAy"
                + "MjksIDIzMCwgMjMxLCAyMzIsIDIzMywgMjM0LCAyMzUsIDIzNiwgMjM3LCAyMzgsIDIzOSwgMjQwLCAyNDEsIDI0MiwgMjQz"
                + "LCAyNDQsIDI0NSwgMjQ2LCAyNDcsIDI0OCwgMjQ5LCAyNTAsIDI1MSwgMjUyLCAyNTMsIDI1NCwgMjU1LCAyNTYsIDI1Nywg"
                + "MjU4LCAyNTksIDI2MCwgMjYxLCAyNjIsIDI2MywgMjY0LCAyNjUsIDI2NiwgMjY3LCAyNjgsIDI2OSwgMjcwLCAyNzEsIDI3"
                + "MiwgMjczLCAyNzQsIDI3NSwgMjc2LCAyNzcsIDI3OCwgMjc5LCAyODAsIDI4MSwgMjgyLCAyODMsIDI4NCwgMjg1LCAyODYs"
                + "IDI4NywgMjg4LCAyODksIDI5MCwgMjkxLCAyOTIsIDI5MywgMjk0LCAyOTUsIDI5NiwgMjk3LCAyOTgsIDI5OV0sICJkZWVw"
                + "IjogW1tbW3siYSI6IFtbXV19XV1dXSwgIm0iOiB7fX0=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJ4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHgifSwiZGVlcCI6W1tbW3siYSI6W1tdXX1dXV1dLCJtIjp7fSwibWFueSI6"
                + "WzAsMSwyLDMsNCw1LDYsNyw4LDksMTAsMTEsMTIsMTMsMTQsMTUsMTYsMTcsMTgsMTksMjAsMjEsMjIsMjMsMjQsMjUsMjYs"
                + "MjcsMjgsMjksMzAsMzEsMzIsMzMsMzQsMzUsMzYsMzcsMzgsMzksNDAsNDEsNDIsNDMsNDQsNDUsNDYsNDcsNDgsNDksNTAs"
                + "NTEsNTIsNTMsNTQsNTUsNTYsNTcsNTgsNTksNjAsNjEsNjIsNjMsNjQsNjUsNjYsNjcsNjgsNjksNzAsNzEsNzIsNzMsNzQs"
                + "NzUsNzYsNzcsNzgsNzksODAsODEsODIsODMsODQsODUsODYsODcsODgsODksOTAsOTEsOTIsOTMsOTQsOTUsOTYsOTcsOTgs"
                + "OTksMTAwLDEwMSwxMDIsMTAzLDEwNCwxMDUsMTA2LDEwNywxMDgsMTA5LDExMCwxMTEsMTEyLDExMywxMTQsMTE1LDExNiwx"
                + "MTcsMTE4LDExOSwxMjAsMTIxLDEyMiwxMjMsMTI0LDEyNSwxMjYsMTI3LDEyOCwxMjksMTMwLDEzMSwxMzIsMTMzLDEzNCwx"
                + "MzUsMTM2LDEzNywxMzgsMTM5LDE0MCwxNDEsMTQyLDE0MywxNDQsMTQ1LDE0NiwxNDcsMTQ4LDE0OSwxNTAsMTUxLDE1Miwx"
                + "NTMsMTU0LDE1NSwxNTYsMTU3LDE1OCwxNTksMTYwLDE2MSwxNjIsMTYzLDE2NCwxNjUsMTY2LDE2NywxNjgsMTY5LDE3MCwx"
                + "NzEsMTcyLDE3MywxNzQsMTc1LDE3NiwxNzcsMTc4LDE3OSwxODAsMTgxLDE4MiwxODMsMTg0LDE4NSwxODYsMTg3LDE4OCwx"
                + "ODksMTkwLDE5MSwxOTIsMTkzLDE5NCwxOTUsMTk2LDE5NywxOTgsMTk5LDIwMCwyMDEsMjAyLDIwMywyMDQsMjA1LDIwNiwy"
                + "MDcsMjA4LDIwOSwyMTAsMjExLDIxMiwyMTMsMjE0LDIxNSwyMTYsMjE3LDIxOCwyMTksMjIwLDIyMSwyMjIsMjIzLDIyNCwy"
                + "MjUsMjI2LDIyNywyMjgsMjI5LDIzMCwyMzEsMjMyLDIzMywyMzQsMjM1LDIzNiwyMzcsMjM4LDIzOSwyNDAsMjQxLDI0Miwy"
                + "NDMsMjQ0LDI0NSwyNDYsMjQ3LDI0OCwyNDksMjUwLDI1MSwyNTIsMjUzLDI1NCwyNTUsMjU2LDI1NywyNTgsMjU5LDI2MCwy"
                + "NjEsMjYyLDI2MywyNjQsMjY1LDI2NiwyNjcsMjY4LDI2OSwyNzAsMjcxLDI3MiwyNzMsMjc0LDI3NSwyNzYsMjc3LDI3OCwy"
                + "NzksMjgwLDI4MSwyODIsMjgzLDI4NCwyODUsMjg2LDI4NywyODgsMjg5LDI5MCwyOTEsMjkyLDI5MywyOTQsMjk1LDI5Niwy"
                + "OTcsMjk4LDI5OV19"),
        Fixture(
            name: "json, indented, long", type: 1,
            base64: "ewogImFwcyI6IHsKICAiYWxlcnQiOiAieHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4IgogfSwKICJkZWVwIjogWwogIFsKICAgWwogICAgWwogICAg"
                + "IHsKICAgICAgImEiOiBbCiAgICAgICBbXQogICAgICBdCiAgICAgfQogICAgXQogICBdCiAgXQogXSwKICJtIjoge30sCiAi"
                + "bWFueSI6IFsKICAwLAogIDEsCiAgMiwKICAzLAogIDQsCiAgNSwKICA2LAogIDcsCiAgOCwKICA5LAogIDEwLAogIDExLAog"
                + "IDEyLAogIDEzLAogIDE0LAogIDE1LAogIDE2LAogIDE3LAogIDE4LAogIDE5LAogIDIwLAogIDIxLAogIDIyLAogIDIzLAog"
                + "IDI0LAogIDI1LAogIDI2LAogIDI3LAogIDI4LAogIDI5LAogIDMwLAogIDMxLAogIDMyLAogIDMzLAogIDM0LAogIDM1LAog"
                + "IDM2LAogIDM3LAogIDM4LAogIDM5LAogIDQwLAogIDQxLAogIDQyLAogIDQzLAogIDQ0LAogIDQ1LAogIDQ2LAogIDQ3LAog"
                + "IDQ4LAogIDQ5LAogIDUwLAogIDUxLAogIDUyLAogIDUzLAogIDU0LAogIDU1LAogIDU2LAogIDU3LAogIDU4LAogIDU5LAog"
                + "IDYwLAogIDYxLAogIDYyLAogIDYzLAogIDY0LAogIDY1LAogIDY2LAogIDY3LAogIDY4LAogIDY5LAogIDcwLAogIDcxLAog"
                + "IDcyLAogIDczLAogIDc0LAogIDc1LAogIDc2LAogIDc3LAogIDc4LAogIDc5LAogIDgwLAogIDgxLAogIDgyLAogIDgzLAog"
                + "IDg0LAogIDg1LAogIDg2LAogIDg3LAogIDg4LAogIDg5LAogIDkwLAogIDkxLAogIDkyLAogIDkzLAogIDk0LAogIDk1LAog"
                + "IDk2LAogIDk3LAogIDk4LAogIDk5LAogIDEwMCwKICAxMDEsCiAgMTAyLAogIDEwMywKICAxMDQsCiAgMTA1LAogIDEwNiwK"
                + "ICAxMDcsCiAgMTA4LAogIDEwOSwKICAxMTAsCiAgMTExLAogIDExMiwKICAxMTMsCiAgMTE0LAogIDExNSwKICAxMTYsCiAg"
                + "MTE3LAogIDExOCwKICAxMTksCiAgMTIwLAogIDEyMSwKICAxMjIsCiAgMTIzLAogIDEyNCwKICAxMjUsCiAgMTI2LAogIDEy"
                + "NywKICAxMjgsCiAgMTI5LAogIDEzMCwKICAxMzEsCiAgMTMyLAogIDEzMywKICAxMzQsCiAgMTM1LAogIDEzNiwKICAxMzcs"
                + "CiAgMTM4LAogIDEzOSwKICAxNDAsCiAgMTQxLAogIDE0MiwKICAxNDMsCiAgMTQ0LAogIDE0NSwKICAxNDYsCiAgMTQ3LAog"
                + "IDE0OCwKICAxNDksCiAgMTUwLAogIDE1MSwKICAxNTIsCiAgMTUzLAogIDE1NCwKICAxNTUsCiAgMTU2LAogIDE1NywKICAx"
                + "NTgsCiAgMTU5LAogIDE2MCwKICAxNjEsCiAgMTYyLAogIDE2MywKICAxNjQsCiAgMTY1LAogIDE2NiwKICAxNjcsCiAgMTY4"
                + "LAogIDE2OSwKICAxNzAsCiAgMTcxLAogIDE3MiwKICAxNzMsCiAgMTc0LAogIDE3NSwKICAxNzYsCiAgMTc3LAogIDE3OCwK"
                + "ICAxNzksCiAgMTgwLAogIDE4MSwKICAxODIsCiAgMTgzLAogIDE4NCwKICAxODUsCiAgMTg2LAogIDE4NywKICAxODgsCiAg"
                + "MTg5LAogIDE5MCwKICAxOTEsCiAgMTkyLAogIDE5MywKICAxOTQsCiAgMTk1LAogIDE5NiwKICAxOTcsCiAgMTk4LAogIDE5"
                + "OSwKICAyMDAsCiAgMjAxLAogIDIwMiwKICAyMDMsCiAgMjA0LAogIDIwNSwKICAyMDYsCiAgMjA3LAogIDIwOCwKICAyMDks"
                + "CiAgMjEwLAogIDIxMSwKICAyMTIsCiAgMjEzLAogIDIxNCwKICAyMTUsCiAgMjE2LAogIDIxNywKICAyMTgsCiAgMjE5LAog"
                + "IDIyMCwKICAyMjEsCiAgMjIyLAogIDIyMywKICAyMjQsCiAgMjI1LAogIDIyNiwKICAyMjcsCiAgMjI4LAogIDIyOSwKICAy"
                + "MzAsCiAgMjMxLAogIDIzMiwKICAyMzMsCiAgMjM0LAogIDIzNSwKICAyMzYsCiAgMjM3LAogIDIzOCwKICAyMzksCiAgMjQw"
                + "LAogIDI0MSwKICAyNDIsCiAgMjQzLAogIDI0NCwKICAyNDUsCiAgMjQ2LAogIDI0NywKICAyNDgsCiAgMjQ5LAogIDI1MCwK"
                + "ICAyNTEsCiAgMjUyLAogIDI1MywKICAyNTQsCiAgMjU1LAogIDI1NiwKICAyNTcsCiAgMjU4LAogIDI1OSwKICAyNjAsCiAg"
                + "MjYxLAogIDI2MiwKICAyNjMsCiAgMjY0LAogIDI2NSwKICAyNjYsCiAgMjY3LAogIDI2OCwKICAyNjksCiAgMjcwLAogIDI3"
                + "MSwKICAyNzIsCiAgMjczLAogIDI3NCwKICAyNzUsCiAgMjc2LAogIDI3NywKICAyNzgsCiAgMjc5LAogIDI4MCwKICAyODEs"
                + "CiAgMjgyLAogIDI4MywKICAyODQsCiAgMjg1LAogIDI4NiwKICAyODcsCiAgMjg4LAogIDI4OSwKICAyOTAsCiAgMjkxLAog"
                + "IDI5MiwKICAyOTMsCiAgMjk0LAogIDI5NSwKICAyOTYsCiAgMjk3LAogIDI5OCwKICAyOTkKIF0KfQ==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJ4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHgifSwiZGVlcCI6W1tbW3siYSI6W1tdXX1dXV1dLCJtIjp7fSwibWFueSI6"
                + "WzAsMSwyLDMsNCw1LDYsNyw4LDksMTAsMTEsMTIsMTMsMTQsMTUsMTYsMTcsMTgsMTksMjAsMjEsMjIsMjMsMjQsMjUsMjYs"
                + "MjcsMjgsMjksMzAsMzEsMzIsMzMsMzQsMzUsMzYsMzcsMzgsMzksNDAsNDEsNDIsNDMsNDQsNDUsNDYsNDcsNDgsNDksNTAs"
                + "NTEsNTIsNTMsNTQsNTUsNTYsNTcsNTgsNTksNjAsNjEsNjIsNjMsNjQsNjUsNjYsNjcsNjgsNjksNzAsNzEsNzIsNzMsNzQs"
                + "NzUsNzYsNzcsNzgsNzksODAsODEsODIsODMsODQsODUsODYsODcsODgsODksOTAsOTEsOTIsOTMsOTQsOTUsOTYsOTcsOTgs"
                + "OTksMTAwLDEwMSwxMDIsMTAzLDEwNCwxMDUsMTA2LDEwNywxMDgsMTA5LDExMCwxMTEsMTEyLDExMywxMTQsMTE1LDExNiwx"
                + "MTcsMTE4LDExOSwxMjAsMTIxLDEyMiwxMjMsMTI0LDEyNSwxMjYsMTI3LDEyOCwxMjksMTMwLDEzMSwxMzIsMTMzLDEzNCwx"
                + "MzUsMTM2LDEzNywxMzgsMTM5LDE0MCwxNDEsMTQyLDE0MywxNDQsMTQ1LDE0NiwxNDcsMTQ4LDE0OSwxNTAsMTUxLDE1Miwx"
                + "NTMsMTU0LDE1NSwxNTYsMTU3LDE1OCwxNTksMTYwLDE2MSwxNjIsMTYzLDE2NCwxNjUsMTY2LDE2NywxNjgsMTY5LDE3MCwx"
                + "NzEsMTcyLDE3MywxNzQsMTc1LDE3NiwxNzcsMTc4LDE3OSwxODAsMTgxLDE4MiwxODMsMTg0LDE4NSwxODYsMTg3LDE4OCwx"
                + "ODksMTkwLDE5MSwxOTIsMTkzLDE5NCwxOTUsMTk2LDE5NywxOTgsMTk5LDIwMCwyMDEsMjAyLDIwMywyMDQsMjA1LDIwNiwy"
                + "MDcsMjA4LDIwOSwyMTAsMjExLDIxMiwyMTMsMjE0LDIxNSwyMTYsMjE3LDIxOCwyMTksMjIwLDIyMSwyMjIsMjIzLDIyNCwy"
                + "MjUsMjI2LDIyNywyMjgsMjI5LDIzMCwyMzEsMjMyLDIzMywyMzQsMjM1LDIzNiwyMzcsMjM4LDIzOSwyNDAsMjQxLDI0Miwy"
                + "NDMsMjQ0LDI0NSwyNDYsMjQ3LDI0OCwyNDksMjUwLDI1MSwyNTIsMjUzLDI1NCwyNTUsMjU2LDI1NywyNTgsMjU5LDI2MCwy"
                + "NjEsMjYyLDI2MywyNjQsMjY1LDI2NiwyNjcsMjY4LDI2OSwyNzAsMjcxLDI3MiwyNzMsMjc0LDI3NSwyNzYsMjc3LDI3OCwy"
                + "NzksMjgwLDI4MSwyODIsMjgzLDI4NCwyODUsMjg2LDI4NywyODgsMjg5LDI5MCwyOTEsMjkyLDI5MywyOTQsMjk1LDI5Niwy"
                + "OTcsMjk4LDI5OV19"),
        Fixture(
            name: "json, shared", type: 1,
            base64: "eyJhIjogWyJzYW1lIiwgInNhbWUiLCAiXHUwMGU5XHUwMGU5IiwgIlx1MDBlOVx1MDBlOSJdLCAiYiI6IHsic2FtZSI6ICJz"
                + "YW1lIn0sICJjIjogeyJzYW1lIjogInNhbWUifX0=",
            expected: "eyJhIjpbInNhbWUiLCJzYW1lIiwiw6nDqSIsIsOpw6kiXSwiYiI6eyJzYW1lIjoic2FtZSJ9LCJjIjp7InNhbWUiOiJzYW1l"
                + "In19"),
        Fixture(
            name: "json, indented, shared", type: 1,
            base64: "ewogImEiOiBbCiAgInNhbWUiLAogICJzYW1lIiwKICAiw6nDqSIsCiAgIsOpw6kiCiBdLAogImIiOiB7CiAgInNhbWUiOiAi"
                + "c2FtZSIKIH0sCiAiYyI6IHsKICAic2FtZSI6ICJzYW1lIgogfQp9",
            expected: "eyJhIjpbInNhbWUiLCJzYW1lIiwiw6nDqSIsIsOpw6kiXSwiYiI6eyJzYW1lIjoic2FtZSJ9LCJjIjp7InNhbWUiOiJzYW1l"
                + "In19"),
        Fixture(
            name: "json, nulls", type: 1,
            base64: "eyJhcHMiOiB7ImFsZXJ0IjogbnVsbH0sICJhIjogW251bGwsIDFdLCAibnVsIjogIlx1MDAwMFx1MDAxZlx1MDA3ZiJ9",
            expected: "eyJhIjpbbnVsbCwxXSwiYXBzIjp7ImFsZXJ0IjpudWxsfSwibnVsIjoiXHUwMDAwXHUwMDFmfyJ9"),
        Fixture(
            name: "json, indented, nulls", type: 1,
            base64: "ewogImEiOiBbCiAgbnVsbCwKICAxCiBdLAogImFwcyI6IHsKICAiYWxlcnQiOiBudWxsCiB9LAogIm51bCI6ICJcdTAwMDBc"
                + "dTAwMWZ/Igp9",
            expected: "eyJhIjpbbnVsbCwxXSwiYXBzIjp7ImFsZXJ0IjpudWxsfSwibnVsIjoiXHUwMDAwXHUwMDFmfyJ9"),
        Fixture(
            name: "json, unsigned", type: 1,
            base64: "eyJ1IjogWzkyMjMzNzIwMzY4NTQ3NzU4MDgsIDE4NDQ2NzQ0MDczNzA5NTUxNjE1XSwgImkiOiA3fQ==",
            expected: "eyJpIjo3LCJ1IjpbOS4yMjMzNzIwMzY4NTQ3NzZlKzE4LDEuODQ0Njc0NDA3MzcwOTU1MmUrMTldfQ=="),
        Fixture(
            name: "json, indented, unsigned", type: 1,
            base64: "ewogImkiOiA3LAogInUiOiBbCiAgOTIyMzM3MjAzNjg1NDc3NTgwOCwKICAxODQ0Njc0NDA3MzcwOTU1MTYxNQogXQp9",
            expected: "eyJpIjo3LCJ1IjpbOS4yMjMzNzIwMzY4NTQ3NzZlKzE4LDEuODQ0Njc0NDA3MzcwOTU1MmUrMTldfQ=="),
        Fixture(
            name: "plistlib, XML, alert string", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PHN0cmluZz5UaGUga2V0dGxlIGJvaWxzPC9zdHJpbmc+CgkJPGtleT5iYWRnZTwva2V5PgoJCTxpbnRlZ2VyPjE8L2ludGVn"
                + "ZXI+CgkJPGtleT5zb3VuZDwva2V5PgoJCTxzdHJpbmc+ZGVmYXVsdDwvc3RyaW5nPgoJPC9kaWN0Pgo8L2RpY3Q+CjwvcGxp"
                + "c3Q+Cg==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJUaGUga2V0dGxlIGJvaWxzIiwiYmFkZ2UiOjEsInNvdW5kIjoiZGVmYXVsdCJ9fQ=="),
        Fixture(
            name: "plistlib, binary, alert string", type: 2,
            base64: "YnBsaXN0MDDRAQJTYXBz0wMEBQYHCFVhbGVydFViYWRnZVVzb3VuZF8QEFRoZSBrZXR0bGUgYm9pbHMQAVdkZWZhdWx0CAsP"
                + "FhwiKDs9AAAAAAAAAQEAAAAAAAAACQAAAAAAAAAAAAAAAAAAAEU=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJUaGUga2V0dGxlIGJvaWxzIiwiYmFkZ2UiOjEsInNvdW5kIjoiZGVmYXVsdCJ9fQ=="),
        Fixture(
            name: "libplist, binary, alert string", type: 2,
            base64: "YnBsaXN0MDDRAQJTYXBz0wMFBwQGCFVhbGVydF8QEFRoZSBrZXR0bGUgYm9pbHNVYmFkZ2UQAVVzb3VuZFdkZWZhdWx0CAsP"
                + "FhwvNTc9AAAAAAAAAQEAAAAAAAAACQAAAAAAAAAAAAAAAAAAAEU=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJUaGUga2V0dGxlIGJvaWxzIiwiYmFkZ2UiOjEsInNvdW5kIjoiZGVmYXVsdCJ9fQ=="),
        Fixture(
            name: "libplist, XML, alert string", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PHN0cmluZz5UaGUga2V0dGxlIGJvaWxzPC9zdHJpbmc+CgkJPGtleT5iYWRnZTwva2V5PgoJCTxpbnRlZ2VyPjE8L2ludGVn"
                + "ZXI+CgkJPGtleT5zb3VuZDwva2V5PgoJCTxzdHJpbmc+ZGVmYXVsdDwvc3RyaW5nPgoJPC9kaWN0Pgo8L2RpY3Q+CjwvcGxp"
                + "c3Q+Cg==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJUaGUga2V0dGxlIGJvaWxzIiwiYmFkZ2UiOjEsInNvdW5kIjoiZGVmYXVsdCJ9fQ=="),
        Fixture(
            name: "plistlib, XML, alert map", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PGRpY3Q+CgkJCTxrZXk+Ym9keTwva2V5PgoJCQk8c3RyaW5nPmxpbmUKbGluZQkiJzwvc3RyaW5nPgoJCQk8a2V5PnN1YnRp"
                + "dGxlPC9rZXk+CgkJCTxzdHJpbmc+16nXnNeV1508L3N0cmluZz4KCQkJPGtleT50aXRsZTwva2V5PgoJCQk8c3RyaW5nPkNh"
                + "ZsOpICZsdDsmYW1wOyZndDs8L3N0cmluZz4KCQk8L2RpY3Q+CgkJPGtleT5jYXRlZ29yeTwva2V5PgoJCTxzdHJpbmc+Qzwv"
                + "c3RyaW5nPgoJCTxrZXk+dGhyZWFkLWlkPC9rZXk+CgkJPHN0cmluZz50PC9zdHJpbmc+Cgk8L2RpY3Q+Cgk8a2V5Pmlkczwv"
                + "a2V5PgoJPGFycmF5PgoJCTxpbnRlZ2VyPjE8L2ludGVnZXI+CgkJPGludGVnZXI+MjU1PC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjI1NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj42NTUzNTwvaW50ZWdlcj4KCQk8aW50ZWdlcj42NTUzNjwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj40Mjk0OTY3Mjk1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQyOTQ5NjcyOTY8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "OTIyMzM3MjAzNjg1NDc3NTgwNzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4tMTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4tMTI4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPi0yMTQ3NDgzNjQ4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPi05MjIzMzcyMDM2ODU0Nzc1ODA4"
                + "PC9pbnRlZ2VyPgoJPC9hcnJheT4KPC9kaWN0Pgo8L3BsaXN0Pgo=",
            expected: "eyJhcHMiOnsiYWxlcnQiOnsiYm9keSI6ImxpbmVcbmxpbmVcdFwiJyIsInN1YnRpdGxlIjoi16nXnNeV150iLCJ0aXRsZSI6"
                + "IkNhZsOpIDwmPiJ9LCJjYXRlZ29yeSI6IkMiLCJ0aHJlYWQtaWQiOiJ0In0sImlkcyI6WzEsMjU1LDI1Niw2NTUzNSw2NTUz"
                + "Niw0Mjk0OTY3Mjk1LDQyOTQ5NjcyOTYsOTIyMzM3MjAzNjg1NDc3NTgwNywtMSwtMTI4LC0yMTQ3NDgzNjQ4LC05MjIzMzcy"
                + "MDM2ODU0Nzc1ODA4XX0="),
        Fixture(
            name: "plistlib, binary, alert map", type: 2,
            base64: "YnBsaXN0MDDSAQIDEFNhcHNTaWRz0wQFBgcOD1VhbGVydFhjYXRlZ29yeVl0aHJlYWQtaWTTCAkKCwwNVGJvZHlYc3VidGl0"
                + "bGVVdGl0bGVcbGluZQpsaW5lCSInZAXpBdwF1QXdaABDAGEAZgDpACAAPAAmAD5RQ1F0rBESExQVFhcYGRobHBABEP8RAQAR"
                + "//8SAAEAABL/////EwAAAAEAAAAAE3//////////E///////////E/////////+AE/////+AAAAAE4AAAAAAAAAACA0RFRwi"
                + "KzU8QUpQXWZ3eXuIioyPkpecpa63wMkAAAAAAAABAQAAAAAAAAAdAAAAAAAAAAAAAAAAAAAA0g==",
            expected: "eyJhcHMiOnsiYWxlcnQiOnsiYm9keSI6ImxpbmVcbmxpbmVcdFwiJyIsInN1YnRpdGxlIjoi16nXnNeV150iLCJ0aXRsZSI6"
                + "IkNhZsOpIDwmPiJ9LCJjYXRlZ29yeSI6IkMiLCJ0aHJlYWQtaWQiOiJ0In0sImlkcyI6WzEsMjU1LDI1Niw2NTUzNSw2NTUz"
                + "Niw0Mjk0OTY3Mjk1LDQyOTQ5NjcyOTYsOTIyMzM3MjAzNjg1NDc3NTgwNywtMSwtMTI4LC0yMTQ3NDgzNjQ4LC05MjIzMzcy"
                + "MDM2ODU0Nzc1ODA4XX0="),
        Fixture(
            name: "libplist, binary, alert map", type: 2,
            base64: "YnBsaXN0MDDSAQ8CEFNhcHPTAwsNBAwOVWFsZXJ00wUHCQYIClRib2R5XGxpbmUKbGluZQkiJ1hzdWJ0aXRsZWQF6QXcBdUF"
                + "3VV0aXRsZWgAQwBhAGYA6QAgADwAJgA+WGNhdGVnb3J5UUNZdGhyZWFkLWlkUXRTaWRzrBESExQVFhcYGRobHBABEP8RAQAR"
                + "//8SAAEAABL/////EwAAAAEAAAAAE3//////////E///////////E/////////+AE/////+AAAAAE4AAAAAAAAAACA0RGB4l"
                + "KjdASU9gaWt1d3uIioyPkpecpa63wMkAAAAAAAABAQAAAAAAAAAdAAAAAAAAAAAAAAAAAAAA0g==",
            expected: "eyJhcHMiOnsiYWxlcnQiOnsiYm9keSI6ImxpbmVcbmxpbmVcdFwiJyIsInN1YnRpdGxlIjoi16nXnNeV150iLCJ0aXRsZSI6"
                + "IkNhZsOpIDwmPiJ9LCJjYXRlZ29yeSI6IkMiLCJ0aHJlYWQtaWQiOiJ0In0sImlkcyI6WzEsMjU1LDI1Niw2NTUzNSw2NTUz"
                + "Niw0Mjk0OTY3Mjk1LDQyOTQ5NjcyOTYsOTIyMzM3MjAzNjg1NDc3NTgwNywtMSwtMTI4LC0yMTQ3NDgzNjQ4LC05MjIzMzcy"
                + "MDM2ODU0Nzc1ODA4XX0="),
        Fixture(
            name: "libplist, XML, alert map", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PGRpY3Q+CgkJCTxrZXk+Ym9keTwva2V5PgoJCQk8c3RyaW5nPmxpbmUKbGluZQkiJzwvc3RyaW5nPgoJCQk8a2V5PnN1YnRp"
                + "dGxlPC9rZXk+CgkJCTxzdHJpbmc+16nXnNeV1508L3N0cmluZz4KCQkJPGtleT50aXRsZTwva2V5PgoJCQk8c3RyaW5nPkNh"
                + "ZsOpICZsdDsmYW1wOyZndDs8L3N0cmluZz4KCQk8L2RpY3Q+CgkJPGtleT5jYXRlZ29yeTwva2V5PgoJCTxzdHJpbmc+Qzwv"
                + "c3RyaW5nPgoJCTxrZXk+dGhyZWFkLWlkPC9rZXk+CgkJPHN0cmluZz50PC9zdHJpbmc+Cgk8L2RpY3Q+Cgk8a2V5Pmlkczwv"
                + "a2V5PgoJPGFycmF5PgoJCTxpbnRlZ2VyPjE8L2ludGVnZXI+CgkJPGludGVnZXI+MjU1PC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjI1NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj42NTUzNTwvaW50ZWdlcj4KCQk8aW50ZWdlcj42NTUzNjwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj40Mjk0OTY3Mjk1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQyOTQ5NjcyOTY8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "OTIyMzM3MjAzNjg1NDc3NTgwNzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4tMTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4tMTI4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPi0yMTQ3NDgzNjQ4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPi05MjIzMzcyMDM2ODU0Nzc1ODA4"
                + "PC9pbnRlZ2VyPgoJPC9hcnJheT4KPC9kaWN0Pgo8L3BsaXN0Pgo=",
            expected: "eyJhcHMiOnsiYWxlcnQiOnsiYm9keSI6ImxpbmVcbmxpbmVcdFwiJyIsInN1YnRpdGxlIjoi16nXnNeV150iLCJ0aXRsZSI6"
                + "IkNhZsOpIDwmPiJ9LCJjYXRlZ29yeSI6IkMiLCJ0aHJlYWQtaWQiOiJ0In0sImlkcyI6WzEsMjU1LDI1Niw2NTUzNSw2NTUz"
                + "Niw0Mjk0OTY3Mjk1LDQyOTQ5NjcyOTYsOTIyMzM3MjAzNjg1NDc3NTgwNywtMSwtMTI4LC0yMTQ3NDgzNjQ4LC05MjIzMzcy"
                + "MDM2ODU0Nzc1ODA4XX0="),
        Fixture(
            name: "plistlib, XML, emoji", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PHN0cmluZz7wn5SUIPCfkanigI3wn5GnIOaXpeacrDwvc3RyaW5nPgoJPC9kaWN0PgoJPGtleT7wn5SRPC9rZXk+Cgk8c3Ry"
                + "aW5nPvCflJE8L3N0cmluZz4KPC9kaWN0Pgo8L3BsaXN0Pgo=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiLwn5SUIPCfkanigI3wn5GnIOaXpeacrCJ9LCLwn5SRIjoi8J+UkSJ9"),
        Fixture(
            name: "plistlib, binary, emoji", type: 2,
            base64: "YnBsaXN0MDDSAQIDAlNhcHNi2D3dEdEEBVVhbGVydGvYPd0UACDYPdxpIA3YPdxnACBl5WcsCA0RFhkfAAAAAAAAAQEAAAAA"
                + "AAAABgAAAAAAAAAAAAAAAAAAADY=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiLwn5SUIPCfkanigI3wn5GnIOaXpeacrCJ9LCLwn5SRIjoi8J+UkSJ9"),
        Fixture(
            name: "libplist, binary, emoji", type: 2,
            base64: "YnBsaXN0MDDSAQUCBlNhcHPRAwRVYWxlcnRr2D3dFAAg2D3caSAN2D3cZwAgZeVnLGLYPd0RYtg93REIDREUGjE2AAAAAAAA"
                + "AQEAAAAAAAAABwAAAAAAAAAAAAAAAAAAADs=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiLwn5SUIPCfkanigI3wn5GnIOaXpeacrCJ9LCLwn5SRIjoi8J+UkSJ9"),
        Fixture(
            name: "libplist, XML, emoji", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PHN0cmluZz7wn5SUIPCfkanigI3wn5GnIOaXpeacrDwvc3RyaW5nPgoJPC9kaWN0PgoJPGtleT7wn5SRPC9rZXk+Cgk8c3Ry"
                + "aW5nPvCflJE8L3N0cmluZz4KPC9kaWN0Pgo8L3BsaXN0Pgo=",
            expected: "eyJhcHMiOnsiYWxlcnQiOiLwn5SUIPCfkanigI3wn5GnIOaXpeacrCJ9LCLwn5SRIjoi8J+UkSJ9"),
        Fixture(
            name: "plistlib, XML, numbers", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YTwva2V5PgoJPGFycmF5PgoJCTxyZWFsPjAuMTwvcmVhbD4KCQk8"
                + "cmVhbD4tMC4wPC9yZWFsPgoJCTxyZWFsPjFlKzMwODwvcmVhbD4KCQk8cmVhbD41ZS0zMjQ8L3JlYWw+CgkJPHJlYWw+My4w"
                + "PC9yZWFsPgoJCTxyZWFsPjAuNTwvcmVhbD4KCQk8cmVhbD4xLjVlKzMwMDwvcmVhbD4KCQk8cmVhbD45MDA3MTk5MjU0NzQw"
                + "OTkyLjA8L3JlYWw+CgkJPHJlYWw+LTIuNTwvcmVhbD4KCQk8cmVhbD4xMjM0NTYuNzg5PC9yZWFsPgoJPC9hcnJheT4KCTxr"
                + "ZXk+Yjwva2V5PgoJPGFycmF5PgoJCTx0cnVlLz4KCQk8ZmFsc2UvPgoJPC9hcnJheT4KPC9kaWN0Pgo8L3BsaXN0Pgo=",
            expected: "eyJhIjpbMC4xLC0wLjAsMWUrMzA4LDVlLTMyNCwzLjAsMC41LDEuNWUrMzAwLDkwMDcxOTkyNTQ3NDA5OTIuMCwtMi41LDEy"
                + "MzQ1Ni43ODldLCJiIjpbdHJ1ZSxmYWxzZV19"),
        Fixture(
            name: "plistlib, binary, numbers", type: 2,
            base64: "YnBsaXN0MDDSAQIDDlFhUWKqBAUGBwgJCgsMDSM/uZmZmZmZmiOAAAAAAAAAACN/4czzhevIoCMAAAAAAAAAASNACAAAAAAA"
                + "ACM/4AAAAAAAACN+QestZgBYNSNDQAAAAAAAACPABAAAAAAAACNA/iQMn752yaIPEAkICA0PERwlLjdASVJbZG12eXoAAAAA"
                + "AAABAQAAAAAAAAARAAAAAAAAAAAAAAAAAAAAew==",
            expected: "eyJhIjpbMC4xLC0wLjAsMWUrMzA4LDVlLTMyNCwzLjAsMC41LDEuNWUrMzAwLDkwMDcxOTkyNTQ3NDA5OTIuMCwtMi41LDEy"
                + "MzQ1Ni43ODldLCJiIjpbdHJ1ZSxmYWxzZV19"),
        Fixture(
            name: "libplist, binary, numbers", type: 2,
            base64: "YnBsaXN0MDDSAQ0CDlFhqgMEBQYHCAkKCwwjP7mZmZmZmZoigAAAACN/4czzhevIoCMAAAAAAAAAASJAQAAAIj8AAAAjfkHr"
                + "LWYAWDUiWgAAACLAIAAAI0D+JAyfvnbJUWKiDxAJCAgNDxojKDE6P0RNUldgYmVmAAAAAAAAAQEAAAAAAAAAEQAAAAAAAAAA"
                + "AAAAAAAAAGc=",
            expected: "eyJhIjpbMC4xLC0wLjAsMWUrMzA4LDVlLTMyNCwzLjAsMC41LDEuNWUrMzAwLDkwMDcxOTkyNTQ3NDA5OTIuMCwtMi41LDEy"
                + "MzQ1Ni43ODldLCJiIjpbdHJ1ZSxmYWxzZV19"),
        Fixture(
            name: "libplist, XML, numbers", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YTwva2V5PgoJPGFycmF5PgoJCTxyZWFsPjAuMTAwMDAwMDAwMDAw"
                + "MDAwMDE8L3JlYWw+CgkJPHJlYWw+MC4wPC9yZWFsPgoJCTxyZWFsPjFlKzMwODwvcmVhbD4KCQk8cmVhbD40Ljk0MDY1NjQ1"
                + "ODQxMjQ2NTRlLTMyNDwvcmVhbD4KCQk8cmVhbD4zPC9yZWFsPgoJCTxyZWFsPjAuNTwvcmVhbD4KCQk8cmVhbD4xLjUwMDAw"
                + "MDAwMDAwMDAwMDFlKzMwMDwvcmVhbD4KCQk8cmVhbD45MDA3MTk5MjU0NzQwOTkyPC9yZWFsPgoJCTxyZWFsPi0yLjU8L3Jl"
                + "YWw+CgkJPHJlYWw+MTIzNDU2Ljc4OTwvcmVhbD4KCTwvYXJyYXk+Cgk8a2V5PmI8L2tleT4KCTxhcnJheT4KCQk8dHJ1ZS8+"
                + "CgkJPGZhbHNlLz4KCTwvYXJyYXk+CjwvZGljdD4KPC9wbGlzdD4K",
            expected: "eyJhIjpbMC4xLDAuMCwxZSszMDgsNWUtMzI0LDMuMCwwLjUsMS41ZSszMDAsOTAwNzE5OTI1NDc0MDk5Mi4wLC0yLjUsMTIz"
                + "NDU2Ljc4OV0sImIiOlt0cnVlLGZhbHNlXX0="),
        Fixture(
            name: "plistlib, XML, long", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PHN0cmluZz54eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHg8L3N0cmluZz4KCTwvZGljdD4KCTxrZXk+ZGVlcDwva2V5PgoJPGFycmF5PgoJCTxhcnJh"
                + "eT4KCQkJPGFycmF5PgoJCQkJPGFycmF5PgoJCQkJCTxkaWN0PgoJCQkJCQk8a2V5PmE8L2tleT4KCQkJCQkJPGFycmF5PgoJ"
                + "CQkJCQkJPGFycmF5Lz4KCQkJCQkJPC9hcnJheT4KCQkJCQk8L2RpY3Q+CgkJCQk8L2FycmF5PgoJCQk8L2FycmF5PgoJCTwv"
                + "YXJyYXk+Cgk8L2FycmF5PgoJPGtleT5tPC9rZXk+Cgk8ZGljdC8+Cgk8a2V5Pm1hbnk8L2tleT4KCTxhcnJheT4KCQk8aW50"
                + "ZWdlcj4wPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE8L2ludGVnZXI+CgkJPGludGVnZXI+MjwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4zPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ8L2ludGVnZXI+CgkJPGludGVnZXI+NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj42"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc8L2ludGVnZXI+CgkJPGludGVnZXI+ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj45PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjEwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjEzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE1PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjE2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjE5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjIyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI0PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjI1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjI4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjMwPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjMxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjMyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjMzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjM0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM2PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjM3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM5PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQyPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ1PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQ2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQ5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjUwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjUxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjUyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjUzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU0PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjU1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU3PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjU4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjYwPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjYxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjYyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjYzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjY0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY2PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjY3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY5PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjcwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjcxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjcyPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjczPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc1PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjc2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjc5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjgwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjgxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjgyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjgzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg0PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjg1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg3PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjg4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjkwPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjkxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjkyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjkzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjk0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk2PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjk3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk5PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjEwMDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMDE8L2ludGVnZXI+CgkJPGludGVnZXI+MTAy"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEwMzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMDQ8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "MTA1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEwNjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMDc8L2ludGVnZXI+CgkJPGludGVn"
                + "ZXI+MTA4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEwOTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTA8L2ludGVnZXI+CgkJPGlu"
                + "dGVnZXI+MTExPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExMjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTM8L2ludGVnZXI+CgkJ"
                + "PGludGVnZXI+MTE0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExNTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTY8L2ludGVnZXI+"
                + "CgkJPGludGVnZXI+MTE3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTk8L2ludGVn"
                + "ZXI+CgkJPGludGVnZXI+MTIwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyMTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMjI8L2lu"
                + "dGVnZXI+CgkJPGludGVnZXI+MTIzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyNDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMjU8"
                + "L2ludGVnZXI+CgkJPGludGVnZXI+MTI2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyNzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4x"
                + "Mjg8L2ludGVnZXI+CgkJPGludGVnZXI+MTI5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzMDwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4xMzE8L2ludGVnZXI+CgkJPGludGVnZXI+MTMyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzMzwvaW50ZWdlcj4KCQk8aW50"
                + "ZWdlcj4xMzQ8L2ludGVnZXI+CgkJPGludGVnZXI+MTM1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzNjwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj4xMzc8L2ludGVnZXI+CgkJPGludGVnZXI+MTM4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzOTwvaW50ZWdlcj4K"
                + "CQk8aW50ZWdlcj4xNDA8L2ludGVnZXI+CgkJPGludGVnZXI+MTQxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0MjwvaW50ZWdl"
                + "cj4KCQk8aW50ZWdlcj4xNDM8L2ludGVnZXI+CgkJPGludGVnZXI+MTQ0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0NTwvaW50"
                + "ZWdlcj4KCQk8aW50ZWdlcj4xNDY8L2ludGVnZXI+CgkJPGludGVnZXI+MTQ3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0ODwv"
                + "aW50ZWdlcj4KCQk8aW50ZWdlcj4xNDk8L2ludGVnZXI+CgkJPGludGVnZXI+MTUwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE1"
                + "MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNTI8L2ludGVnZXI+CgkJPGludGVnZXI+MTUzPC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjE1NDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNTU8L2ludGVnZXI+CgkJPGludGVnZXI+MTU2PC9pbnRlZ2VyPgoJCTxpbnRl"
                + "Z2VyPjE1NzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNTg8L2ludGVnZXI+CgkJPGludGVnZXI+MTU5PC9pbnRlZ2VyPgoJCTxp"
                + "bnRlZ2VyPjE2MDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNjE8L2ludGVnZXI+CgkJPGludGVnZXI+MTYyPC9pbnRlZ2VyPgoJ"
                + "CTxpbnRlZ2VyPjE2MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNjQ8L2ludGVnZXI+CgkJPGludGVnZXI+MTY1PC9pbnRlZ2Vy"
                + "PgoJCTxpbnRlZ2VyPjE2NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNjc8L2ludGVnZXI+CgkJPGludGVnZXI+MTY4PC9pbnRl"
                + "Z2VyPgoJCTxpbnRlZ2VyPjE2OTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzA8L2ludGVnZXI+CgkJPGludGVnZXI+MTcxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjE3MjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzM8L2ludGVnZXI+CgkJPGludGVnZXI+MTc0"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE3NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzY8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "MTc3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE3ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzk8L2ludGVnZXI+CgkJPGludGVn"
                + "ZXI+MTgwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xODI8L2ludGVnZXI+CgkJPGlu"
                + "dGVnZXI+MTgzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4NDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xODU8L2ludGVnZXI+CgkJ"
                + "PGludGVnZXI+MTg2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4NzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xODg8L2ludGVnZXI+"
                + "CgkJPGludGVnZXI+MTg5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5MDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xOTE8L2ludGVn"
                + "ZXI+CgkJPGludGVnZXI+MTkyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xOTQ8L2lu"
                + "dGVnZXI+CgkJPGludGVnZXI+MTk1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xOTc8"
                + "L2ludGVnZXI+CgkJPGludGVnZXI+MTk4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5OTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4y"
                + "MDA8L2ludGVnZXI+CgkJPGludGVnZXI+MjAxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwMjwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4yMDM8L2ludGVnZXI+CgkJPGludGVnZXI+MjA0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwNTwvaW50ZWdlcj4KCQk8aW50"
                + "ZWdlcj4yMDY8L2ludGVnZXI+CgkJPGludGVnZXI+MjA3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwODwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj4yMDk8L2ludGVnZXI+CgkJPGludGVnZXI+MjEwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxMTwvaW50ZWdlcj4K"
                + "CQk8aW50ZWdlcj4yMTI8L2ludGVnZXI+CgkJPGludGVnZXI+MjEzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxNDwvaW50ZWdl"
                + "cj4KCQk8aW50ZWdlcj4yMTU8L2ludGVnZXI+CgkJPGludGVnZXI+MjE2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxNzwvaW50"
                + "ZWdlcj4KCQk8aW50ZWdlcj4yMTg8L2ludGVnZXI+CgkJPGludGVnZXI+MjE5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIyMDwv"
                + "aW50ZWdlcj4KCQk8aW50ZWdlcj4yMjE8L2ludGVnZXI+CgkJPGludGVnZXI+MjIyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIy"
                + "MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMjQ8L2ludGVnZXI+CgkJPGludGVnZXI+MjI1PC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjIyNjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMjc8L2ludGVnZXI+CgkJPGludGVnZXI+MjI4PC9pbnRlZ2VyPgoJCTxpbnRl"
                + "Z2VyPjIyOTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzA8L2ludGVnZXI+CgkJPGludGVnZXI+MjMxPC9pbnRlZ2VyPgoJCTxp"
                + "bnRlZ2VyPjIzMjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzM8L2ludGVnZXI+CgkJPGludGVnZXI+MjM0PC9pbnRlZ2VyPgoJ"
                + "CTxpbnRlZ2VyPjIzNTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzY8L2ludGVnZXI+CgkJPGludGVnZXI+MjM3PC9pbnRlZ2Vy"
                + "PgoJCTxpbnRlZ2VyPjIzODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzk8L2ludGVnZXI+CgkJPGludGVnZXI+MjQwPC9pbnRl"
                + "Z2VyPgoJCTxpbnRlZ2VyPjI0MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNDI8L2ludGVnZXI+CgkJPGludGVnZXI+MjQzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjI0NDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNDU8L2ludGVnZXI+CgkJPGludGVnZXI+MjQ2"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI0NzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNDg8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "MjQ5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1MDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNTE8L2ludGVnZXI+CgkJPGludGVn"
                + "ZXI+MjUyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNTQ8L2ludGVnZXI+CgkJPGlu"
                + "dGVnZXI+MjU1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNTc8L2ludGVnZXI+CgkJ"
                + "PGludGVnZXI+MjU4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1OTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjA8L2ludGVnZXI+"
                + "CgkJPGludGVnZXI+MjYxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2MjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjM8L2ludGVn"
                + "ZXI+CgkJPGludGVnZXI+MjY0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjY8L2lu"
                + "dGVnZXI+CgkJPGludGVnZXI+MjY3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjk8"
                + "L2ludGVnZXI+CgkJPGludGVnZXI+MjcwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4y"
                + "NzI8L2ludGVnZXI+CgkJPGludGVnZXI+MjczPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3NDwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4yNzU8L2ludGVnZXI+CgkJPGludGVnZXI+Mjc2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3NzwvaW50ZWdlcj4KCQk8aW50"
                + "ZWdlcj4yNzg8L2ludGVnZXI+CgkJPGludGVnZXI+Mjc5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4MDwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj4yODE8L2ludGVnZXI+CgkJPGludGVnZXI+MjgyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4MzwvaW50ZWdlcj4K"
                + "CQk8aW50ZWdlcj4yODQ8L2ludGVnZXI+CgkJPGludGVnZXI+Mjg1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4NjwvaW50ZWdl"
                + "cj4KCQk8aW50ZWdlcj4yODc8L2ludGVnZXI+CgkJPGludGVnZXI+Mjg4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4OTwvaW50"
                + "ZWdlcj4KCQk8aW50ZWdlcj4yOTA8L2ludGVnZXI+CgkJPGludGVnZXI+MjkxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI5Mjwv"
                + "aW50ZWdlcj4KCQk8aW50ZWdlcj4yOTM8L2ludGVnZXI+CgkJPGludGVnZXI+Mjk0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI5"
                + "NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yOTY8L2ludGVnZXI+CgkJPGludGVnZXI+Mjk3PC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjI5ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yOTk8L2ludGVnZXI+Cgk8L2FycmF5Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJ4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHgifSwiZGVlcCI6W1tbW3siYSI6W1tdXX1dXV1dLCJtIjp7fSwibWFueSI6"
                + "WzAsMSwyLDMsNCw1LDYsNyw4LDksMTAsMTEsMTIsMTMsMTQsMTUsMTYsMTcsMTgsMTksMjAsMjEsMjIsMjMsMjQsMjUsMjYs"
                + "MjcsMjgsMjksMzAsMzEsMzIsMzMsMzQsMzUsMzYsMzcsMzgsMzksNDAsNDEsNDIsNDMsNDQsNDUsNDYsNDcsNDgsNDksNTAs"
                + "NTEsNTIsNTMsNTQsNTUsNTYsNTcsNTgsNTksNjAsNjEsNjIsNjMsNjQsNjUsNjYsNjcsNjgsNjksNzAsNzEsNzIsNzMsNzQs"
                + "NzUsNzYsNzcsNzgsNzksODAsODEsODIsODMsODQsODUsODYsODcsODgsODksOTAsOTEsOTIsOTMsOTQsOTUsOTYsOTcsOTgs"
                + "OTksMTAwLDEwMSwxMDIsMTAzLDEwNCwxMDUsMTA2LDEwNywxMDgsMTA5LDExMCwxMTEsMTEyLDExMywxMTQsMTE1LDExNiwx"
                + "MTcsMTE4LDExOSwxMjAsMTIxLDEyMiwxMjMsMTI0LDEyNSwxMjYsMTI3LDEyOCwxMjksMTMwLDEzMSwxMzIsMTMzLDEzNCwx"
                + "MzUsMTM2LDEzNywxMzgsMTM5LDE0MCwxNDEsMTQyLDE0MywxNDQsMTQ1LDE0NiwxNDcsMTQ4LDE0OSwxNTAsMTUxLDE1Miwx"
                + "NTMsMTU0LDE1NSwxNTYsMTU3LDE1OCwxNTksMTYwLDE2MSwxNjIsMTYzLDE2NCwxNjUsMTY2LDE2NywxNjgsMTY5LDE3MCwx"
                + "NzEsMTcyLDE3MywxNzQsMTc1LDE3NiwxNzcsMTc4LDE3OSwxODAsMTgxLDE4MiwxODMsMTg0LDE4NSwxODYsMTg3LDE4OCwx"
                + "ODksMTkwLDE5MSwxOTIsMTkzLDE5NCwxOTUsMTk2LDE5NywxOTgsMTk5LDIwMCwyMDEsMjAyLDIwMywyMDQsMjA1LDIwNiwy"
                + "MDcsMjA4LDIwOSwyMTAsMjExLDIxMiwyMTMsMjE0LDIxNSwyMTYsMjE3LDIxOCwyMTksMjIwLDIyMSwyMjIsMjIzLDIyNCwy"
                + "MjUsMjI2LDIyNywyMjgsMjI5LDIzMCwyMzEsMjMyLDIzMywyMzQsMjM1LDIzNiwyMzcsMjM4LDIzOSwyNDAsMjQxLDI0Miwy"
                + "NDMsMjQ0LDI0NSwyNDYsMjQ3LDI0OCwyNDksMjUwLDI1MSwyNTIsMjUzLDI1NCwyNTUsMjU2LDI1NywyNTgsMjU5LDI2MCwy"
                + "NjEsMjYyLDI2MywyNjQsMjY1LDI2NiwyNjcsMjY4LDI2OSwyNzAsMjcxLDI3MiwyNzMsMjc0LDI3NSwyNzYsMjc3LDI3OCwy"
                + "NzksMjgwLDI4MSwyODIsMjgzLDI4NCwyODUsMjg2LDI4NywyODgsMjg5LDI5MCwyOTEsMjkyLDI5MywyOTQsMjk1LDI5Niwy"
                + "OTcsMjk4LDI5OV19"),
        Fixture(
            name: "plistlib, binary, long", type: 2,
            base64: "YnBsaXN0MDDUAAEAAgADAAQABQAIABAAEVNhcHNUZGVlcFFtVG1hbnnRAAYAB1VhbGVydF8RASx4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHihAAmh"
                + "AAqhAAuhAAzRAA0ADlFhoQAPoNCvEQEsABIAEwAUABUAFgAXABgAGQAaABsAHAAdAB4AHwAgACEAIgAjACQAJQAmACcAKAAp"
                + "ACoAKwAsAC0ALgAvADAAMQAyADMANAA1ADYANwA4ADkAOgA7ADwAPQA+AD8AQABBAEIAQwBEAEUARgBHAEgASQBKAEsATABN"
                + "AE4ATwBQAFEAUgBTAFQAVQBWAFcAWABZAFoAWwBcAF0AXgBfAGAAYQBiAGMAZABlAGYAZwBoAGkAagBrAGwAbQBuAG8AcABx"
                + "AHIAcwB0AHUAdgB3AHgAeQB6AHsAfAB9AH4AfwCAAIEAggCDAIQAhQCGAIcAiACJAIoAiwCMAI0AjgCPAJAAkQCSAJMAlACV"
                + "AJYAlwCYAJkAmgCbAJwAnQCeAJ8AoAChAKIAowCkAKUApgCnAKgAqQCqAKsArACtAK4ArwCwALEAsgCzALQAtQC2ALcAuAC5"
                + "ALoAuwC8AL0AvgC/AMAAwQDCAMMAxADFAMYAxwDIAMkAygDLAMwAzQDOAM8A0ADRANIA0wDUANUA1gDXANgA2QDaANsA3ADd"
                + "AN4A3wDgAOEA4gDjAOQA5QDmAOcA6ADpAOoA6wDsAO0A7gDvAPAA8QDyAPMA9AD1APYA9wD4APkA+gD7APwA/QD+AP8BAAEB"
                + "AQIBAwEEAQUBBgEHAQgBCQEKAQsBDAENAQ4BDwEQAREBEgETARQBFQEWARcBGAEZARoBGwEcAR0BHgEfASABIQEiASMBJAEl"
                + "ASYBJwEoASkBKgErASwBLQEuAS8BMAExATIBMwE0ATUBNgE3ATgBOQE6ATsBPAE9EAAQARACEAMQBBAFEAYQBxAIEAkQChAL"
                + "EAwQDRAOEA8QEBAREBIQExAUEBUQFhAXEBgQGRAaEBsQHBAdEB4QHxAgECEQIhAjECQQJRAmECcQKBApECoQKxAsEC0QLhAv"
                + "EDAQMRAyEDMQNBA1EDYQNxA4EDkQOhA7EDwQPRA+ED8QQBBBEEIQQxBEEEUQRhBHEEgQSRBKEEsQTBBNEE4QTxBQEFEQUhBT"
                + "EFQQVRBWEFcQWBBZEFoQWxBcEF0QXhBfEGAQYRBiEGMQZBBlEGYQZxBoEGkQahBrEGwQbRBuEG8QcBBxEHIQcxB0EHUQdhB3"
                + "EHgQeRB6EHsQfBB9EH4QfxCAEIEQghCDEIQQhRCGEIcQiBCJEIoQixCMEI0QjhCPEJAQkRCSEJMQlBCVEJYQlxCYEJkQmhCb"
                + "EJwQnRCeEJ8QoBChEKIQoxCkEKUQphCnEKgQqRCqEKsQrBCtEK4QrxCwELEQshCzELQQtRC2ELcQuBC5ELoQuxC8EL0QvhC/"
                + "EMAQwRDCEMMQxBDFEMYQxxDIEMkQyhDLEMwQzRDOEM8Q0BDRENIQ0xDUENUQ1hDXENgQ2RDaENsQ3BDdEN4Q3xDgEOEQ4hDj"
                + "EOQQ5RDmEOcQ6BDpEOoQ6xDsEO0Q7hDvEPAQ8RDyEPMQ9BD1EPYQ9xD4EPkQ+hD7EPwQ/RD+EP8RAQARAQERAQIRAQMRAQQR"
                + "AQURAQYRAQcRAQgRAQkRAQoRAQsRAQwRAQ0RAQ4RAQ8RARARARERARIRARMRARQRARURARYRARcRARgRARkRARoRARsRARwR"
                + "AR0RAR4RAR8RASARASERASIRASMRASQRASURASYRAScRASgRASkRASoRASsACAAZAB0AIgAkACkALgA0AWQBZwFqAW0BcAF1"
                + "AXcBegF7AXwD2APaA9wD3gPgA+ID5APmA+gD6gPsA+4D8APyA/QD9gP4A/oD/AP+BAAEAgQEBAYECAQKBAwEDgQQBBIEFAQW"
                + "BBgEGgQcBB4EIAQiBCQEJgQoBCoELAQuBDAEMgQ0BDYEOAQ6BDwEPgRABEIERARGBEgESgRMBE4EUARSBFQEVgRYBFoEXARe"
                + "BGAEYgRkBGYEaARqBGwEbgRwBHIEdAR2BHgEegR8BH4EgASCBIQEhgSIBIoEjASOBJAEkgSUBJYEmASaBJwEngSgBKIEpASm"
                + "BKgEqgSsBK4EsASyBLQEtgS4BLoEvAS+BMAEwgTEBMYEyATKBMwEzgTQBNIE1ATWBNgE2gTcBN4E4ATiBOQE5gToBOoE7ATu"
                + "BPAE8gT0BPYE+AT6BPwE/gUABQIFBAUGBQgFCgUMBQ4FEAUSBRQFFgUYBRoFHAUeBSAFIgUkBSYFKAUqBSwFLgUwBTIFNAU2"
                + "BTgFOgU8BT4FQAVCBUQFRgVIBUoFTAVOBVAFUgVUBVYFWAVaBVwFXgVgBWIFZAVmBWgFagVsBW4FcAVyBXQFdgV4BXoFfAV+"
                + "BYAFggWEBYYFiAWKBYwFjgWQBZIFlAWWBZgFmgWcBZ4FoAWiBaQFpgWoBaoFrAWuBbAFsgW0BbYFuAW6BbwFvgXABcIFxAXG"
                + "BcgFygXMBc4F0AXSBdQF1gXYBdsF3gXhBeQF5wXqBe0F8AXzBfYF+QX8Bf8GAgYFBggGCwYOBhEGFAYXBhoGHQYgBiMGJgYp"
                + "BiwGLwYyBjUGOAY7Bj4GQQZEBkcGSgZNBlAGUwZWBlkAAAAAAAACAgAAAAAAAAE+AAAAAAAAAAAAAAAAAAAGXA==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJ4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHgifSwiZGVlcCI6W1tbW3siYSI6W1tdXX1dXV1dLCJtIjp7fSwibWFueSI6"
                + "WzAsMSwyLDMsNCw1LDYsNyw4LDksMTAsMTEsMTIsMTMsMTQsMTUsMTYsMTcsMTgsMTksMjAsMjEsMjIsMjMsMjQsMjUsMjYs"
                + "MjcsMjgsMjksMzAsMzEsMzIsMzMsMzQsMzUsMzYsMzcsMzgsMzksNDAsNDEsNDIsNDMsNDQsNDUsNDYsNDcsNDgsNDksNTAs"
                + "NTEsNTIsNTMsNTQsNTUsNTYsNTcsNTgsNTksNjAsNjEsNjIsNjMsNjQsNjUsNjYsNjcsNjgsNjksNzAsNzEsNzIsNzMsNzQs"
                + "NzUsNzYsNzcsNzgsNzksODAsODEsODIsODMsODQsODUsODYsODcsODgsODksOTAsOTEsOTIsOTMsOTQsOTUsOTYsOTcsOTgs"
                + "OTksMTAwLDEwMSwxMDIsMTAzLDEwNCwxMDUsMTA2LDEwNywxMDgsMTA5LDExMCwxMTEsMTEyLDExMywxMTQsMTE1LDExNiwx"
                + "MTcsMTE4LDExOSwxMjAsMTIxLDEyMiwxMjMsMTI0LDEyNSwxMjYsMTI3LDEyOCwxMjksMTMwLDEzMSwxMzIsMTMzLDEzNCwx"
                + "MzUsMTM2LDEzNywxMzgsMTM5LDE0MCwxNDEsMTQyLDE0MywxNDQsMTQ1LDE0NiwxNDcsMTQ4LDE0OSwxNTAsMTUxLDE1Miwx"
                + "NTMsMTU0LDE1NSwxNTYsMTU3LDE1OCwxNTksMTYwLDE2MSwxNjIsMTYzLDE2NCwxNjUsMTY2LDE2NywxNjgsMTY5LDE3MCwx"
                + "NzEsMTcyLDE3MywxNzQsMTc1LDE3NiwxNzcsMTc4LDE3OSwxODAsMTgxLDE4MiwxODMsMTg0LDE4NSwxODYsMTg3LDE4OCwx"
                + "ODksMTkwLDE5MSwxOTIsMTkzLDE5NCwxOTUsMTk2LDE5NywxOTgsMTk5LDIwMCwyMDEsMjAyLDIwMywyMDQsMjA1LDIwNiwy"
                + "MDcsMjA4LDIwOSwyMTAsMjExLDIxMiwyMTMsMjE0LDIxNSwyMTYsMjE3LDIxOCwyMTksMjIwLDIyMSwyMjIsMjIzLDIyNCwy"
                + "MjUsMjI2LDIyNywyMjgsMjI5LDIzMCwyMzEsMjMyLDIzMywyMzQsMjM1LDIzNiwyMzcsMjM4LDIzOSwyNDAsMjQxLDI0Miwy"
                + "NDMsMjQ0LDI0NSwyNDYsMjQ3LDI0OCwyNDksMjUwLDI1MSwyNTIsMjUzLDI1NCwyNTUsMjU2LDI1NywyNTgsMjU5LDI2MCwy"
                + "NjEsMjYyLDI2MywyNjQsMjY1LDI2NiwyNjcsMjY4LDI2OSwyNzAsMjcxLDI3MiwyNzMsMjc0LDI3NSwyNzYsMjc3LDI3OCwy"
                + "NzksMjgwLDI4MSwyODIsMjgzLDI4NCwyODUsMjg2LDI4NywyODgsMjg5LDI5MCwyOTEsMjkyLDI5MywyOTQsMjk1LDI5Niwy"
                + "OTcsMjk4LDI5OV19"),
        Fixture(
            name: "libplist, binary, long", type: 2,
            base64: "YnBsaXN0MDDUAAEABQAOABAAAgAGAA8AEVNhcHPRAAMABFVhbGVydF8RASx4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHhUZGVlcKEAB6EACKEACaEA"
                + "CtEACwAMUWGhAA2gUW3QVG1hbnmvEQEsABIAEwAUABUAFgAXABgAGQAaABsAHAAdAB4AHwAgACEAIgAjACQAJQAmACcAKAAp"
                + "ACoAKwAsAC0ALgAvADAAMQAyADMANAA1ADYANwA4ADkAOgA7ADwAPQA+AD8AQABBAEIAQwBEAEUARgBHAEgASQBKAEsATABN"
                + "AE4ATwBQAFEAUgBTAFQAVQBWAFcAWABZAFoAWwBcAF0AXgBfAGAAYQBiAGMAZABlAGYAZwBoAGkAagBrAGwAbQBuAG8AcABx"
                + "AHIAcwB0AHUAdgB3AHgAeQB6AHsAfAB9AH4AfwCAAIEAggCDAIQAhQCGAIcAiACJAIoAiwCMAI0AjgCPAJAAkQCSAJMAlACV"
                + "AJYAlwCYAJkAmgCbAJwAnQCeAJ8AoAChAKIAowCkAKUApgCnAKgAqQCqAKsArACtAK4ArwCwALEAsgCzALQAtQC2ALcAuAC5"
                + "ALoAuwC8AL0AvgC/AMAAwQDCAMMAxADFAMYAxwDIAMkAygDLAMwAzQDOAM8A0ADRANIA0wDUANUA1gDXANgA2QDaANsA3ADd"
                + "AN4A3wDgAOEA4gDjAOQA5QDmAOcA6ADpAOoA6wDsAO0A7gDvAPAA8QDyAPMA9AD1APYA9wD4APkA+gD7APwA/QD+AP8BAAEB"
                + "AQIBAwEEAQUBBgEHAQgBCQEKAQsBDAENAQ4BDwEQAREBEgETARQBFQEWARcBGAEZARoBGwEcAR0BHgEfASABIQEiASMBJAEl"
                + "ASYBJwEoASkBKgErASwBLQEuAS8BMAExATIBMwE0ATUBNgE3ATgBOQE6ATsBPAE9EAAQARACEAMQBBAFEAYQBxAIEAkQChAL"
                + "EAwQDRAOEA8QEBAREBIQExAUEBUQFhAXEBgQGRAaEBsQHBAdEB4QHxAgECEQIhAjECQQJRAmECcQKBApECoQKxAsEC0QLhAv"
                + "EDAQMRAyEDMQNBA1EDYQNxA4EDkQOhA7EDwQPRA+ED8QQBBBEEIQQxBEEEUQRhBHEEgQSRBKEEsQTBBNEE4QTxBQEFEQUhBT"
                + "EFQQVRBWEFcQWBBZEFoQWxBcEF0QXhBfEGAQYRBiEGMQZBBlEGYQZxBoEGkQahBrEGwQbRBuEG8QcBBxEHIQcxB0EHUQdhB3"
                + "EHgQeRB6EHsQfBB9EH4QfxCAEIEQghCDEIQQhRCGEIcQiBCJEIoQixCMEI0QjhCPEJAQkRCSEJMQlBCVEJYQlxCYEJkQmhCb"
                + "EJwQnRCeEJ8QoBChEKIQoxCkEKUQphCnEKgQqRCqEKsQrBCtEK4QrxCwELEQshCzELQQtRC2ELcQuBC5ELoQuxC8EL0QvhC/"
                + "EMAQwRDCEMMQxBDFEMYQxxDIEMkQyhDLEMwQzRDOEM8Q0BDRENIQ0xDUENUQ1hDXENgQ2RDaENsQ3BDdEN4Q3xDgEOEQ4hDj"
                + "EOQQ5RDmEOcQ6BDpEOoQ6xDsEO0Q7hDvEPAQ8RDyEPMQ9BD1EPYQ9xD4EPkQ+hD7EPwQ/RD+EP8RAQARAQERAQIRAQMRAQQR"
                + "AQURAQYRAQcRAQgRAQkRAQoRAQsRAQwRAQ0RAQ4RAQ8RARARARERARIRARMRARQRARURARYRARcRARgRARkRARoRARsRARwR"
                + "AR0RAR4RAR8RASARASERASIRASMRASQRASURASYRAScRASgRASkRASoRASsACAAZAB0AIgAoAVgBXQFgAWMBZgFpAW4BcAFz"
                + "AXQBdgF3AXwD2APaA9wD3gPgA+ID5APmA+gD6gPsA+4D8APyA/QD9gP4A/oD/AP+BAAEAgQEBAYECAQKBAwEDgQQBBIEFAQW"
                + "BBgEGgQcBB4EIAQiBCQEJgQoBCoELAQuBDAEMgQ0BDYEOAQ6BDwEPgRABEIERARGBEgESgRMBE4EUARSBFQEVgRYBFoEXARe"
                + "BGAEYgRkBGYEaARqBGwEbgRwBHIEdAR2BHgEegR8BH4EgASCBIQEhgSIBIoEjASOBJAEkgSUBJYEmASaBJwEngSgBKIEpASm"
                + "BKgEqgSsBK4EsASyBLQEtgS4BLoEvAS+BMAEwgTEBMYEyATKBMwEzgTQBNIE1ATWBNgE2gTcBN4E4ATiBOQE5gToBOoE7ATu"
                + "BPAE8gT0BPYE+AT6BPwE/gUABQIFBAUGBQgFCgUMBQ4FEAUSBRQFFgUYBRoFHAUeBSAFIgUkBSYFKAUqBSwFLgUwBTIFNAU2"
                + "BTgFOgU8BT4FQAVCBUQFRgVIBUoFTAVOBVAFUgVUBVYFWAVaBVwFXgVgBWIFZAVmBWgFagVsBW4FcAVyBXQFdgV4BXoFfAV+"
                + "BYAFggWEBYYFiAWKBYwFjgWQBZIFlAWWBZgFmgWcBZ4FoAWiBaQFpgWoBaoFrAWuBbAFsgW0BbYFuAW6BbwFvgXABcIFxAXG"
                + "BcgFygXMBc4F0AXSBdQF1gXYBdsF3gXhBeQF5wXqBe0F8AXzBfYF+QX8Bf8GAgYFBggGCwYOBhEGFAYXBhoGHQYgBiMGJgYp"
                + "BiwGLwYyBjUGOAY7Bj4GQQZEBkcGSgZNBlAGUwZWBlkAAAAAAAACAgAAAAAAAAE+AAAAAAAAAAAAAAAAAAAGXA==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJ4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHgifSwiZGVlcCI6W1tbW3siYSI6W1tdXX1dXV1dLCJtIjp7fSwibWFueSI6"
                + "WzAsMSwyLDMsNCw1LDYsNyw4LDksMTAsMTEsMTIsMTMsMTQsMTUsMTYsMTcsMTgsMTksMjAsMjEsMjIsMjMsMjQsMjUsMjYs"
                + "MjcsMjgsMjksMzAsMzEsMzIsMzMsMzQsMzUsMzYsMzcsMzgsMzksNDAsNDEsNDIsNDMsNDQsNDUsNDYsNDcsNDgsNDksNTAs"
                + "NTEsNTIsNTMsNTQsNTUsNTYsNTcsNTgsNTksNjAsNjEsNjIsNjMsNjQsNjUsNjYsNjcsNjgsNjksNzAsNzEsNzIsNzMsNzQs"
                + "NzUsNzYsNzcsNzgsNzksODAsODEsODIsODMsODQsODUsODYsODcsODgsODksOTAsOTEsOTIsOTMsOTQsOTUsOTYsOTcsOTgs"
                + "OTksMTAwLDEwMSwxMDIsMTAzLDEwNCwxMDUsMTA2LDEwNywxMDgsMTA5LDExMCwxMTEsMTEyLDExMywxMTQsMTE1LDExNiwx"
                + "MTcsMTE4LDExOSwxMjAsMTIxLDEyMiwxMjMsMTI0LDEyNSwxMjYsMTI3LDEyOCwxMjksMTMwLDEzMSwxMzIsMTMzLDEzNCwx"
                + "MzUsMTM2LDEzNywxMzgsMTM5LDE0MCwxNDEsMTQyLDE0MywxNDQsMTQ1LDE0NiwxNDcsMTQ4LDE0OSwxNTAsMTUxLDE1Miwx"
                + "NTMsMTU0LDE1NSwxNTYsMTU3LDE1OCwxNTksMTYwLDE2MSwxNjIsMTYzLDE2NCwxNjUsMTY2LDE2NywxNjgsMTY5LDE3MCwx"
                + "NzEsMTcyLDE3MywxNzQsMTc1LDE3NiwxNzcsMTc4LDE3OSwxODAsMTgxLDE4MiwxODMsMTg0LDE4NSwxODYsMTg3LDE4OCwx"
                + "ODksMTkwLDE5MSwxOTIsMTkzLDE5NCwxOTUsMTk2LDE5NywxOTgsMTk5LDIwMCwyMDEsMjAyLDIwMywyMDQsMjA1LDIwNiwy"
                + "MDcsMjA4LDIwOSwyMTAsMjExLDIxMiwyMTMsMjE0LDIxNSwyMTYsMjE3LDIxOCwyMTksMjIwLDIyMSwyMjIsMjIzLDIyNCwy"
                + "MjUsMjI2LDIyNywyMjgsMjI5LDIzMCwyMzEsMjMyLDIzMywyMzQsMjM1LDIzNiwyMzcsMjM4LDIzOSwyNDAsMjQxLDI0Miwy"
                + "NDMsMjQ0LDI0NSwyNDYsMjQ3LDI0OCwyNDksMjUwLDI1MSwyNTIsMjUzLDI1NCwyNTUsMjU2LDI1NywyNTgsMjU5LDI2MCwy"
                + "NjEsMjYyLDI2MywyNjQsMjY1LDI2NiwyNjcsMjY4LDI2OSwyNzAsMjcxLDI3MiwyNzMsMjc0LDI3NSwyNzYsMjc3LDI3OCwy"
                + "NzksMjgwLDI4MSwyODIsMjgzLDI4NCwyODUsMjg2LDI4NywyODgsMjg5LDI5MCwyOTEsMjkyLDI5MywyOTQsMjk1LDI5Niwy"
                + "OTcsMjk4LDI5OV19"),
        Fixture(
            name: "libplist, XML, long", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YXBzPC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmFsZXJ0PC9rZXk+CgkJ"
                + "PHN0cmluZz54eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHg8L3N0cmluZz4KCTwvZGljdD4KCTxrZXk+ZGVlcDwva2V5PgoJPGFycmF5PgoJCTxhcnJh"
                + "eT4KCQkJPGFycmF5PgoJCQkJPGFycmF5PgoJCQkJCTxkaWN0PgoJCQkJCQk8a2V5PmE8L2tleT4KCQkJCQkJPGFycmF5PgoJ"
                + "CQkJCQkJPGFycmF5Lz4KCQkJCQkJPC9hcnJheT4KCQkJCQk8L2RpY3Q+CgkJCQk8L2FycmF5PgoJCQk8L2FycmF5PgoJCTwv"
                + "YXJyYXk+Cgk8L2FycmF5PgoJPGtleT5tPC9rZXk+Cgk8ZGljdC8+Cgk8a2V5Pm1hbnk8L2tleT4KCTxhcnJheT4KCQk8aW50"
                + "ZWdlcj4wPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE8L2ludGVnZXI+CgkJPGludGVnZXI+MjwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4zPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ8L2ludGVnZXI+CgkJPGludGVnZXI+NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj42"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc8L2ludGVnZXI+CgkJPGludGVnZXI+ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj45PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjEwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjEzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE1PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjE2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjE5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjIyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI0PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjI1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjI4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjMwPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjMxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjMyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjMzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjM0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM2PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjM3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjM5PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQyPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ1PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQ2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjQ4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjQ5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjUwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjUxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjUyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjUzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU0PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjU1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU3PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjU4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjU5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjYwPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjYxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjYyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjYzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjY0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY2PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjY3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjY5PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjcwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjcxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjcyPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjczPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc1PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjc2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjc4PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjc5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjgwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjgxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjgyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjgzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg0PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjg1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg3PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjg4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjg5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjkwPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjkxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjkyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjkzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjk0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk2PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjk3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjk5PC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjEwMDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMDE8L2ludGVnZXI+CgkJPGludGVnZXI+MTAy"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEwMzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMDQ8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "MTA1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEwNjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMDc8L2ludGVnZXI+CgkJPGludGVn"
                + "ZXI+MTA4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEwOTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTA8L2ludGVnZXI+CgkJPGlu"
                + "dGVnZXI+MTExPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExMjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTM8L2ludGVnZXI+CgkJ"
                + "PGludGVnZXI+MTE0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExNTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTY8L2ludGVnZXI+"
                + "CgkJPGludGVnZXI+MTE3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjExODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMTk8L2ludGVn"
                + "ZXI+CgkJPGludGVnZXI+MTIwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyMTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMjI8L2lu"
                + "dGVnZXI+CgkJPGludGVnZXI+MTIzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyNDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xMjU8"
                + "L2ludGVnZXI+CgkJPGludGVnZXI+MTI2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEyNzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4x"
                + "Mjg8L2ludGVnZXI+CgkJPGludGVnZXI+MTI5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzMDwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4xMzE8L2ludGVnZXI+CgkJPGludGVnZXI+MTMyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzMzwvaW50ZWdlcj4KCQk8aW50"
                + "ZWdlcj4xMzQ8L2ludGVnZXI+CgkJPGludGVnZXI+MTM1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzNjwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj4xMzc8L2ludGVnZXI+CgkJPGludGVnZXI+MTM4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjEzOTwvaW50ZWdlcj4K"
                + "CQk8aW50ZWdlcj4xNDA8L2ludGVnZXI+CgkJPGludGVnZXI+MTQxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0MjwvaW50ZWdl"
                + "cj4KCQk8aW50ZWdlcj4xNDM8L2ludGVnZXI+CgkJPGludGVnZXI+MTQ0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0NTwvaW50"
                + "ZWdlcj4KCQk8aW50ZWdlcj4xNDY8L2ludGVnZXI+CgkJPGludGVnZXI+MTQ3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE0ODwv"
                + "aW50ZWdlcj4KCQk8aW50ZWdlcj4xNDk8L2ludGVnZXI+CgkJPGludGVnZXI+MTUwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE1"
                + "MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNTI8L2ludGVnZXI+CgkJPGludGVnZXI+MTUzPC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjE1NDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNTU8L2ludGVnZXI+CgkJPGludGVnZXI+MTU2PC9pbnRlZ2VyPgoJCTxpbnRl"
                + "Z2VyPjE1NzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNTg8L2ludGVnZXI+CgkJPGludGVnZXI+MTU5PC9pbnRlZ2VyPgoJCTxp"
                + "bnRlZ2VyPjE2MDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNjE8L2ludGVnZXI+CgkJPGludGVnZXI+MTYyPC9pbnRlZ2VyPgoJ"
                + "CTxpbnRlZ2VyPjE2MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNjQ8L2ludGVnZXI+CgkJPGludGVnZXI+MTY1PC9pbnRlZ2Vy"
                + "PgoJCTxpbnRlZ2VyPjE2NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNjc8L2ludGVnZXI+CgkJPGludGVnZXI+MTY4PC9pbnRl"
                + "Z2VyPgoJCTxpbnRlZ2VyPjE2OTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzA8L2ludGVnZXI+CgkJPGludGVnZXI+MTcxPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjE3MjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzM8L2ludGVnZXI+CgkJPGludGVnZXI+MTc0"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE3NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzY8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "MTc3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE3ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xNzk8L2ludGVnZXI+CgkJPGludGVn"
                + "ZXI+MTgwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xODI8L2ludGVnZXI+CgkJPGlu"
                + "dGVnZXI+MTgzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4NDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xODU8L2ludGVnZXI+CgkJ"
                + "PGludGVnZXI+MTg2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE4NzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xODg8L2ludGVnZXI+"
                + "CgkJPGludGVnZXI+MTg5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5MDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xOTE8L2ludGVn"
                + "ZXI+CgkJPGludGVnZXI+MTkyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xOTQ8L2lu"
                + "dGVnZXI+CgkJPGludGVnZXI+MTk1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4xOTc8"
                + "L2ludGVnZXI+CgkJPGludGVnZXI+MTk4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjE5OTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4y"
                + "MDA8L2ludGVnZXI+CgkJPGludGVnZXI+MjAxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwMjwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4yMDM8L2ludGVnZXI+CgkJPGludGVnZXI+MjA0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwNTwvaW50ZWdlcj4KCQk8aW50"
                + "ZWdlcj4yMDY8L2ludGVnZXI+CgkJPGludGVnZXI+MjA3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIwODwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj4yMDk8L2ludGVnZXI+CgkJPGludGVnZXI+MjEwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxMTwvaW50ZWdlcj4K"
                + "CQk8aW50ZWdlcj4yMTI8L2ludGVnZXI+CgkJPGludGVnZXI+MjEzPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxNDwvaW50ZWdl"
                + "cj4KCQk8aW50ZWdlcj4yMTU8L2ludGVnZXI+CgkJPGludGVnZXI+MjE2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIxNzwvaW50"
                + "ZWdlcj4KCQk8aW50ZWdlcj4yMTg8L2ludGVnZXI+CgkJPGludGVnZXI+MjE5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIyMDwv"
                + "aW50ZWdlcj4KCQk8aW50ZWdlcj4yMjE8L2ludGVnZXI+CgkJPGludGVnZXI+MjIyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjIy"
                + "MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMjQ8L2ludGVnZXI+CgkJPGludGVnZXI+MjI1PC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjIyNjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMjc8L2ludGVnZXI+CgkJPGludGVnZXI+MjI4PC9pbnRlZ2VyPgoJCTxpbnRl"
                + "Z2VyPjIyOTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzA8L2ludGVnZXI+CgkJPGludGVnZXI+MjMxPC9pbnRlZ2VyPgoJCTxp"
                + "bnRlZ2VyPjIzMjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzM8L2ludGVnZXI+CgkJPGludGVnZXI+MjM0PC9pbnRlZ2VyPgoJ"
                + "CTxpbnRlZ2VyPjIzNTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzY8L2ludGVnZXI+CgkJPGludGVnZXI+MjM3PC9pbnRlZ2Vy"
                + "PgoJCTxpbnRlZ2VyPjIzODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yMzk8L2ludGVnZXI+CgkJPGludGVnZXI+MjQwPC9pbnRl"
                + "Z2VyPgoJCTxpbnRlZ2VyPjI0MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNDI8L2ludGVnZXI+CgkJPGludGVnZXI+MjQzPC9p"
                + "bnRlZ2VyPgoJCTxpbnRlZ2VyPjI0NDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNDU8L2ludGVnZXI+CgkJPGludGVnZXI+MjQ2"
                + "PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI0NzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNDg8L2ludGVnZXI+CgkJPGludGVnZXI+"
                + "MjQ5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1MDwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNTE8L2ludGVnZXI+CgkJPGludGVn"
                + "ZXI+MjUyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1MzwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNTQ8L2ludGVnZXI+CgkJPGlu"
                + "dGVnZXI+MjU1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1NjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNTc8L2ludGVnZXI+CgkJ"
                + "PGludGVnZXI+MjU4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI1OTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjA8L2ludGVnZXI+"
                + "CgkJPGludGVnZXI+MjYxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2MjwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjM8L2ludGVn"
                + "ZXI+CgkJPGludGVnZXI+MjY0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjY8L2lu"
                + "dGVnZXI+CgkJPGludGVnZXI+MjY3PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI2ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yNjk8"
                + "L2ludGVnZXI+CgkJPGludGVnZXI+MjcwPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3MTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4y"
                + "NzI8L2ludGVnZXI+CgkJPGludGVnZXI+MjczPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3NDwvaW50ZWdlcj4KCQk8aW50ZWdl"
                + "cj4yNzU8L2ludGVnZXI+CgkJPGludGVnZXI+Mjc2PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI3NzwvaW50ZWdlcj4KCQk8aW50"
                + "ZWdlcj4yNzg8L2ludGVnZXI+CgkJPGludGVnZXI+Mjc5PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4MDwvaW50ZWdlcj4KCQk8"
                + "aW50ZWdlcj4yODE8L2ludGVnZXI+CgkJPGludGVnZXI+MjgyPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4MzwvaW50ZWdlcj4K"
                + "CQk8aW50ZWdlcj4yODQ8L2ludGVnZXI+CgkJPGludGVnZXI+Mjg1PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4NjwvaW50ZWdl"
                + "cj4KCQk8aW50ZWdlcj4yODc8L2ludGVnZXI+CgkJPGludGVnZXI+Mjg4PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI4OTwvaW50"
                + "ZWdlcj4KCQk8aW50ZWdlcj4yOTA8L2ludGVnZXI+CgkJPGludGVnZXI+MjkxPC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI5Mjwv"
                + "aW50ZWdlcj4KCQk8aW50ZWdlcj4yOTM8L2ludGVnZXI+CgkJPGludGVnZXI+Mjk0PC9pbnRlZ2VyPgoJCTxpbnRlZ2VyPjI5"
                + "NTwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yOTY8L2ludGVnZXI+CgkJPGludGVnZXI+Mjk3PC9pbnRlZ2VyPgoJCTxpbnRlZ2Vy"
                + "PjI5ODwvaW50ZWdlcj4KCQk8aW50ZWdlcj4yOTk8L2ludGVnZXI+Cgk8L2FycmF5Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJhcHMiOnsiYWxlcnQiOiJ4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
                + "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHgifSwiZGVlcCI6W1tbW3siYSI6W1tdXX1dXV1dLCJtIjp7fSwibWFueSI6"
                + "WzAsMSwyLDMsNCw1LDYsNyw4LDksMTAsMTEsMTIsMTMsMTQsMTUsMTYsMTcsMTgsMTksMjAsMjEsMjIsMjMsMjQsMjUsMjYs"
                + "MjcsMjgsMjksMzAsMzEsMzIsMzMsMzQsMzUsMzYsMzcsMzgsMzksNDAsNDEsNDIsNDMsNDQsNDUsNDYsNDcsNDgsNDksNTAs"
                + "NTEsNTIsNTMsNTQsNTUsNTYsNTcsNTgsNTksNjAsNjEsNjIsNjMsNjQsNjUsNjYsNjcsNjgsNjksNzAsNzEsNzIsNzMsNzQs"
                + "NzUsNzYsNzcsNzgsNzksODAsODEsODIsODMsODQsODUsODYsODcsODgsODksOTAsOTEsOTIsOTMsOTQsOTUsOTYsOTcsOTgs"
                + "OTksMTAwLDEwMSwxMDIsMTAzLDEwNCwxMDUsMTA2LDEwNywxMDgsMTA5LDExMCwxMTEsMTEyLDExMywxMTQsMTE1LDExNiwx"
                + "MTcsMTE4LDExOSwxMjAsMTIxLDEyMiwxMjMsMTI0LDEyNSwxMjYsMTI3LDEyOCwxMjksMTMwLDEzMSwxMzIsMTMzLDEzNCwx"
                + "MzUsMTM2LDEzNywxMzgsMTM5LDE0MCwxNDEsMTQyLDE0MywxNDQsMTQ1LDE0NiwxNDcsMTQ4LDE0OSwxNTAsMTUxLDE1Miwx"
                + "NTMsMTU0LDE1NSwxNTYsMTU3LDE1OCwxNTksMTYwLDE2MSwxNjIsMTYzLDE2NCwxNjUsMTY2LDE2NywxNjgsMTY5LDE3MCwx"
                + "NzEsMTcyLDE3MywxNzQsMTc1LDE3NiwxNzcsMTc4LDE3OSwxODAsMTgxLDE4MiwxODMsMTg0LDE4NSwxODYsMTg3LDE4OCwx"
                + "ODksMTkwLDE5MSwxOTIsMTkzLDE5NCwxOTUsMTk2LDE5NywxOTgsMTk5LDIwMCwyMDEsMjAyLDIwMywyMDQsMjA1LDIwNiwy"
                + "MDcsMjA4LDIwOSwyMTAsMjExLDIxMiwyMTMsMjE0LDIxNSwyMTYsMjE3LDIxOCwyMTksMjIwLDIyMSwyMjIsMjIzLDIyNCwy"
                + "MjUsMjI2LDIyNywyMjgsMjI5LDIzMCwyMzEsMjMyLDIzMywyMzQsMjM1LDIzNiwyMzcsMjM4LDIzOSwyNDAsMjQxLDI0Miwy"
                + "NDMsMjQ0LDI0NSwyNDYsMjQ3LDI0OCwyNDksMjUwLDI1MSwyNTIsMjUzLDI1NCwyNTUsMjU2LDI1NywyNTgsMjU5LDI2MCwy"
                + "NjEsMjYyLDI2MywyNjQsMjY1LDI2NiwyNjcsMjY4LDI2OSwyNzAsMjcxLDI3MiwyNzMsMjc0LDI3NSwyNzYsMjc3LDI3OCwy"
                + "NzksMjgwLDI4MSwyODIsMjgzLDI4NCwyODUsMjg2LDI4NywyODgsMjg5LDI5MCwyOTEsMjkyLDI5MywyOTQsMjk1LDI5Niwy"
                + "OTcsMjk4LDI5OV19"),
        Fixture(
            name: "plistlib, XML, shared", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YTwva2V5PgoJPGFycmF5PgoJCTxzdHJpbmc+c2FtZTwvc3RyaW5n"
                + "PgoJCTxzdHJpbmc+c2FtZTwvc3RyaW5nPgoJCTxzdHJpbmc+w6nDqTwvc3RyaW5nPgoJCTxzdHJpbmc+w6nDqTwvc3RyaW5n"
                + "PgoJPC9hcnJheT4KCTxrZXk+Yjwva2V5PgoJPGRpY3Q+CgkJPGtleT5zYW1lPC9rZXk+CgkJPHN0cmluZz5zYW1lPC9zdHJp"
                + "bmc+Cgk8L2RpY3Q+Cgk8a2V5PmM8L2tleT4KCTxkaWN0PgoJCTxrZXk+c2FtZTwva2V5PgoJCTxzdHJpbmc+c2FtZTwvc3Ry"
                + "aW5nPgoJPC9kaWN0Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJhIjpbInNhbWUiLCJzYW1lIiwiw6nDqSIsIsOpw6kiXSwiYiI6eyJzYW1lIjoic2FtZSJ9LCJjIjp7InNhbWUiOiJzYW1l"
                + "In19"),
        Fixture(
            name: "plistlib, binary, shared", type: 2,
            base64: "YnBsaXN0MDDTAQIDBAcIUWFRYlFjpAUFBgZUc2FtZWIA6QDp0QUF0QUFCA8RExUaHyQnAAAAAAAAAQEAAAAAAAAACQAAAAAA"
                + "AAAAAAAAAAAAACo=",
            expected: "eyJhIjpbInNhbWUiLCJzYW1lIiwiw6nDqSIsIsOpw6kiXSwiYiI6eyJzYW1lIjoic2FtZSJ9LCJjIjp7InNhbWUiOiJzYW1l"
                + "In19"),
        Fixture(
            name: "libplist, binary, shared", type: 2,
            base64: "YnBsaXN0MDDTAQUIAgYJUWGkAwMEBFRzYW1lYgDpAOlRYtEHA1RzYW1lUWPRBwMIDxEWGyAiJSosAAAAAAAAAQEAAAAAAAAA"
                + "CgAAAAAAAAAAAAAAAAAAAC8=",
            expected: "eyJhIjpbInNhbWUiLCJzYW1lIiwiw6nDqSIsIsOpw6kiXSwiYiI6eyJzYW1lIjoic2FtZSJ9LCJjIjp7InNhbWUiOiJzYW1l"
                + "In19"),
        Fixture(
            name: "libplist, XML, shared", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+YTwva2V5PgoJPGFycmF5PgoJCTxzdHJpbmc+c2FtZTwvc3RyaW5n"
                + "PgoJCTxzdHJpbmc+c2FtZTwvc3RyaW5nPgoJCTxzdHJpbmc+w6nDqTwvc3RyaW5nPgoJCTxzdHJpbmc+w6nDqTwvc3RyaW5n"
                + "PgoJPC9hcnJheT4KCTxrZXk+Yjwva2V5PgoJPGRpY3Q+CgkJPGtleT5zYW1lPC9rZXk+CgkJPHN0cmluZz5zYW1lPC9zdHJp"
                + "bmc+Cgk8L2RpY3Q+Cgk8a2V5PmM8L2tleT4KCTxkaWN0PgoJCTxrZXk+c2FtZTwva2V5PgoJCTxzdHJpbmc+c2FtZTwvc3Ry"
                + "aW5nPgoJPC9kaWN0Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJhIjpbInNhbWUiLCJzYW1lIiwiw6nDqSIsIsOpw6kiXSwiYiI6eyJzYW1lIjoic2FtZSJ9LCJjIjp7InNhbWUiOiJzYW1l"
                + "In19"),
        Fixture(
            name: "plistlib, XML, data", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+ZDwva2V5PgoJPGRhdGE+Cgk8L2RhdGE+Cgk8a2V5PmU8L2tleT4K"
                + "CTxkYXRhPgoJQUFFQ0F3UUZCZ2NJQ1FvTERBME9EeEFSRWhNVUZSWVhHQmthR3h3ZEhoOGdJU0lqSkNVbUp5Z3BLaXNzTFM0"
                + "dk1ERXkKCU16UTFOamM0T1RvN1BEMCtQMEJCUWtORVJVWkhTRWxLUzB4TlRrOVFVVkpUVkZWV1YxaFpXbHRjWFY1ZllHRmlZ"
                + "MlJsCglabWRvYVdwcmJHMXViM0J4Y25OMGRYWjNlSGw2ZTN4OWZuK0FnWUtEaElXR2g0aUppb3VNalk2UGtKR1NrNVNWbHBl"
                + "WQoJbVpxYm5KMmVuNkNob3FPa3BhYW5xS21xcTZ5dHJxK3dzYkt6dExXMnQ3aTV1cnU4dmI2L3dNSEN3OFRGeHNmSXljckwK"
                + "CXpNM096OURSMHRQVTFkYlgyTm5hMjl6ZDN0L2c0ZUxqNU9YbTUranA2dXZzN2U3djhQSHk4L1QxOXZmNCtmcjcvUDMrCgkv"
                + "dz09Cgk8L2RhdGE+Cgk8a2V5PmY8L2tleT4KCTxhcnJheT4KCQk8ZGF0YT4KCQlBQT09CgkJPC9kYXRhPgoJCTxkYXRhPgoJ"
                + "CS8vND0KCQk8L2RhdGE+Cgk8L2FycmF5Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJkIjp7IiRkYXRhIjoiIn0sImUiOnsiJGRhdGEiOiJBQUVDQXdRRkJnY0lDUW9MREEwT0R4QVJFaE1VRlJZWEdCa2FHeHdk"
                + "SGg4Z0lTSWpKQ1VtSnlncEtpc3NMUzR2TURFeU16UTFOamM0T1RvN1BEMCtQMEJCUWtORVJVWkhTRWxLUzB4TlRrOVFVVkpU"
                + "VkZWV1YxaFpXbHRjWFY1ZllHRmlZMlJsWm1kb2FXcHJiRzF1YjNCeGNuTjBkWFozZUhsNmUzeDlmbitBZ1lLRGhJV0doNGlK"
                + "aW91TWpZNlBrSkdTazVTVmxwZVltWnFibkoyZW42Q2hvcU9rcGFhbnFLbXFxNnl0cnErd3NiS3p0TFcydDdpNXVydTh2YjYv"
                + "d01IQ3c4VEZ4c2ZJeWNyTHpNM096OURSMHRQVTFkYlgyTm5hMjl6ZDN0L2c0ZUxqNU9YbTUranA2dXZzN2U3djhQSHk4L1Qx"
                + "OXZmNCtmcjcvUDMrL3c9PSJ9LCJmIjpbeyIkZGF0YSI6IkFBPT0ifSx7IiRkYXRhIjoiLy80PSJ9XX0="),
        Fixture(
            name: "plistlib, binary, data", type: 2,
            base64: "YnBsaXN0MDDTAQIDBAUGUWRRZVFmQE8RAQAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywt"
                + "Li8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9gYWJjZGVmZ2hpamtsbW5vcHFyc3R1"
                + "dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9"
                + "vr/AwcLDxMXGx8jJysvMzc7P0NHS09TV1tfY2drb3N3e3+Dh4uPk5ebn6Onq6+zt7u/w8fLz9PX29/j5+vv8/f7/ogcIQQBC"
                + "//4ACAAPABEAEwAVABYBGgEdAR8AAAAAAAACAQAAAAAAAAAJAAAAAAAAAAAAAAAAAAABIg==",
            expected: "eyJkIjp7IiRkYXRhIjoiIn0sImUiOnsiJGRhdGEiOiJBQUVDQXdRRkJnY0lDUW9MREEwT0R4QVJFaE1VRlJZWEdCa2FHeHdk"
                + "SGg4Z0lTSWpKQ1VtSnlncEtpc3NMUzR2TURFeU16UTFOamM0T1RvN1BEMCtQMEJCUWtORVJVWkhTRWxLUzB4TlRrOVFVVkpU"
                + "VkZWV1YxaFpXbHRjWFY1ZllHRmlZMlJsWm1kb2FXcHJiRzF1YjNCeGNuTjBkWFozZUhsNmUzeDlmbitBZ1lLRGhJV0doNGlK"
                + "aW91TWpZNlBrSkdTazVTVmxwZVltWnFibkoyZW42Q2hvcU9rcGFhbnFLbXFxNnl0cnErd3NiS3p0TFcydDdpNXVydTh2YjYv"
                + "d01IQ3c4VEZ4c2ZJeWNyTHpNM096OURSMHRQVTFkYlgyTm5hMjl6ZDN0L2c0ZUxqNU9YbTUranA2dXZzN2U3djhQSHk4L1Qx"
                + "OXZmNCtmcjcvUDMrL3c9PSJ9LCJmIjpbeyIkZGF0YSI6IkFBPT0ifSx7IiRkYXRhIjoiLy80PSJ9XX0="),
        Fixture(
            name: "libplist, binary, data", type: 2,
            base64: "YnBsaXN0MDDTAQMFAgQGUWRAUWVPEQEAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
                + "MDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3"
                + "eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/"
                + "wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/1FmogcIQQBC"
                + "//4ACAAPABEAEgAUARgBGgEdAR8AAAAAAAACAQAAAAAAAAAJAAAAAAAAAAAAAAAAAAABIg==",
            expected: "eyJkIjp7IiRkYXRhIjoiIn0sImUiOnsiJGRhdGEiOiJBQUVDQXdRRkJnY0lDUW9MREEwT0R4QVJFaE1VRlJZWEdCa2FHeHdk"
                + "SGg4Z0lTSWpKQ1VtSnlncEtpc3NMUzR2TURFeU16UTFOamM0T1RvN1BEMCtQMEJCUWtORVJVWkhTRWxLUzB4TlRrOVFVVkpU"
                + "VkZWV1YxaFpXbHRjWFY1ZllHRmlZMlJsWm1kb2FXcHJiRzF1YjNCeGNuTjBkWFozZUhsNmUzeDlmbitBZ1lLRGhJV0doNGlK"
                + "aW91TWpZNlBrSkdTazVTVmxwZVltWnFibkoyZW42Q2hvcU9rcGFhbnFLbXFxNnl0cnErd3NiS3p0TFcydDdpNXVydTh2YjYv"
                + "d01IQ3c4VEZ4c2ZJeWNyTHpNM096OURSMHRQVTFkYlgyTm5hMjl6ZDN0L2c0ZUxqNU9YbTUranA2dXZzN2U3djhQSHk4L1Qx"
                + "OXZmNCtmcjcvUDMrL3c9PSJ9LCJmIjpbeyIkZGF0YSI6IkFBPT0ifSx7IiRkYXRhIjoiLy80PSJ9XX0="),
        Fixture(
            name: "libplist, XML, data", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+ZDwva2V5PgoJPGRhdGE+Cgk8L2RhdGE+Cgk8a2V5PmU8L2tleT4K"
                + "CTxkYXRhPgoJQUFFQ0F3UUZCZ2NJQ1FvTERBME9EeEFSRWhNVUZSWVhHQmthR3h3ZEhoOGdJU0lqSkNVbUp5Z3BLaXNzTFM0"
                + "dk1ERXkKCU16UTFOamM0T1RvN1BEMCtQMEJCUWtORVJVWkhTRWxLUzB4TlRrOVFVVkpUVkZWV1YxaFpXbHRjWFY1ZllHRmlZ"
                + "MlJsCglabWRvYVdwcmJHMXViM0J4Y25OMGRYWjNlSGw2ZTN4OWZuK0FnWUtEaElXR2g0aUppb3VNalk2UGtKR1NrNVNWbHBl"
                + "WQoJbVpxYm5KMmVuNkNob3FPa3BhYW5xS21xcTZ5dHJxK3dzYkt6dExXMnQ3aTV1cnU4dmI2L3dNSEN3OFRGeHNmSXljckwK"
                + "CXpNM096OURSMHRQVTFkYlgyTm5hMjl6ZDN0L2c0ZUxqNU9YbTUranA2dXZzN2U3djhQSHk4L1QxOXZmNCtmcjcvUDMrCgkv"
                + "dz09Cgk8L2RhdGE+Cgk8a2V5PmY8L2tleT4KCTxhcnJheT4KCQk8ZGF0YT4KCQlBQT09CgkJPC9kYXRhPgoJCTxkYXRhPgoJ"
                + "CS8vND0KCQk8L2RhdGE+Cgk8L2FycmF5Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJkIjp7IiRkYXRhIjoiIn0sImUiOnsiJGRhdGEiOiJBQUVDQXdRRkJnY0lDUW9MREEwT0R4QVJFaE1VRlJZWEdCa2FHeHdk"
                + "SGg4Z0lTSWpKQ1VtSnlncEtpc3NMUzR2TURFeU16UTFOamM0T1RvN1BEMCtQMEJCUWtORVJVWkhTRWxLUzB4TlRrOVFVVkpU"
                + "VkZWV1YxaFpXbHRjWFY1ZllHRmlZMlJsWm1kb2FXcHJiRzF1YjNCeGNuTjBkWFozZUhsNmUzeDlmbitBZ1lLRGhJV0doNGlK"
                + "aW91TWpZNlBrSkdTazVTVmxwZVltWnFibkoyZW42Q2hvcU9rcGFhbnFLbXFxNnl0cnErd3NiS3p0TFcydDdpNXVydTh2YjYv"
                + "d01IQ3c4VEZ4c2ZJeWNyTHpNM096OURSMHRQVTFkYlgyTm5hMjl6ZDN0L2c0ZUxqNU9YbTUranA2dXZzN2U3djhQSHk4L1Qx"
                + "OXZmNCtmcjcvUDMrL3c9PSJ9LCJmIjpbeyIkZGF0YSI6IkFBPT0ifSx7IiRkYXRhIjoiLy80PSJ9XX0="),
        Fixture(
            name: "plistlib, XML, dates", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+ZDwva2V5PgoJPGFycmF5PgoJCTxkYXRlPjIwMDEtMDEtMDFUMDA6"
                + "MDA6MDBaPC9kYXRlPgoJCTxkYXRlPjE5NzAtMDEtMDFUMDA6MDA6MDBaPC9kYXRlPgoJCTxkYXRlPjIwMjQtMDItMjlUMjM6"
                + "NTk6NTlaPC9kYXRlPgoJCTxkYXRlPjE5OTktMTItMzFUMDE6MDI6MDNaPC9kYXRlPgoJPC9hcnJheT4KPC9kaWN0Pgo8L3Bs"
                + "aXN0Pgo=",
            expected: "eyJkIjpbIjIwMDEtMDEtMDFUMDA6MDA6MDBaIiwiMTk3MC0wMS0wMVQwMDowMDowMFoiLCIyMDI0LTAyLTI5VDIzOjU5OjU5"
                + "WiIsIjE5OTktMTItMzFUMDE6MDI6MDNaIl19"),
        Fixture(
            name: "plistlib, binary, dates", type: 2,
            base64: "YnBsaXN0MDDRAQJRZKQDBAUGMwAAAAAAAAAAM8HNJ+RAAAAAM0HFyKj/gAAAM8F+PH9QAAAACAsNEhskLQAAAAAAAAEBAAAA"
                + "AAAAAAcAAAAAAAAAAAAAAAAAAAA2",
            expected: "eyJkIjpbIjIwMDEtMDEtMDFUMDA6MDA6MDBaIiwiMTk3MC0wMS0wMVQwMDowMDowMFoiLCIyMDI0LTAyLTI5VDIzOjU5OjU5"
                + "WiIsIjE5OTktMTItMzFUMDE6MDI6MDNaIl19"),
        Fixture(
            name: "libplist, binary, dates", type: 2,
            base64: "YnBsaXN0MDDRAQJRZKQDBAUGMwAAAAAAAAAAM8HNJ+RAAAAAM0HFyKj/gAAAM8F+PH9QAAAACAsNEhskLQAAAAAAAAEBAAAA"
                + "AAAAAAcAAAAAAAAAAAAAAAAAAAA2",
            expected: "eyJkIjpbIjIwMDEtMDEtMDFUMDA6MDA6MDBaIiwiMTk3MC0wMS0wMVQwMDowMDowMFoiLCIyMDI0LTAyLTI5VDIzOjU5OjU5"
                + "WiIsIjE5OTktMTItMzFUMDE6MDI6MDNaIl19"),
        Fixture(
            name: "libplist, XML, dates", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+ZDwva2V5PgoJPGFycmF5PgoJCTxkYXRlPjIwMDEtMDEtMDFUMDA6"
                + "MDA6MDBaPC9kYXRlPgoJCTxkYXRlPjE5NzAtMDEtMDFUMDA6MDA6MDBaPC9kYXRlPgoJCTxkYXRlPjIwMjQtMDItMjlUMjM6"
                + "NTk6NTlaPC9kYXRlPgoJCTxkYXRlPjE5OTktMTItMzFUMDE6MDI6MDNaPC9kYXRlPgoJPC9hcnJheT4KPC9kaWN0Pgo8L3Bs"
                + "aXN0Pgo=",
            expected: "eyJkIjpbIjIwMDEtMDEtMDFUMDA6MDA6MDBaIiwiMTk3MC0wMS0wMVQwMDowMDowMFoiLCIyMDI0LTAyLTI5VDIzOjU5OjU5"
                + "WiIsIjE5OTktMTItMzFUMDE6MDI6MDNaIl19"),
        Fixture(
            name: "plistlib, XML, unsigned", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+aTwva2V5PgoJPGludGVnZXI+NzwvaW50ZWdlcj4KCTxrZXk+dTwv"
                + "a2V5PgoJPGFycmF5PgoJCTxpbnRlZ2VyPjkyMjMzNzIwMzY4NTQ3NzU4MDg8L2ludGVnZXI+CgkJPGludGVnZXI+MTg0NDY3"
                + "NDQwNzM3MDk1NTE2MTU8L2ludGVnZXI+Cgk8L2FycmF5Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJpIjo3LCJ1IjpbOS4yMjMzNzIwMzY4NTQ3NzZlKzE4LDEuODQ0Njc0NDA3MzcwOTU1MmUrMTldfQ=="),
        Fixture(
            name: "plistlib, binary, unsigned", type: 2,
            base64: "YnBsaXN0MDDSAQIDBFFpUXUQB6IFBhQAAAAAAAAAAIAAAAAAAAAAFAAAAAAAAAAA//////////8IDQ8RExYnAAAAAAAAAQEA"
                + "AAAAAAAABwAAAAAAAAAAAAAAAAAAADg=",
            expected: "eyJpIjo3LCJ1IjpbOS4yMjMzNzIwMzY4NTQ3NzZlKzE4LDEuODQ0Njc0NDA3MzcwOTU1MmUrMTldfQ=="),
        Fixture(
            name: "libplist, binary, unsigned", type: 2,
            base64: "YnBsaXN0MDDSAQMCBFFpEAdRdaIFBhQAAAAAAAAAAIAAAAAAAAAAFAAAAAAAAAAA//////////8IDQ8RExYnAAAAAAAAAQEA"
                + "AAAAAAAABwAAAAAAAAAAAAAAAAAAADg=",
            expected: "eyJpIjo3LCJ1IjpbOS4yMjMzNzIwMzY4NTQ3NzZlKzE4LDEuODQ0Njc0NDA3MzcwOTU1MmUrMTldfQ=="),
        Fixture(
            name: "libplist, XML, unsigned", type: 2,
            base64: "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUv"
                + "L0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+Cjxw"
                + "bGlzdCB2ZXJzaW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+aTwva2V5PgoJPGludGVnZXI+NzwvaW50ZWdlcj4KCTxrZXk+dTwv"
                + "a2V5PgoJPGFycmF5PgoJCTxpbnRlZ2VyPjkyMjMzNzIwMzY4NTQ3NzU4MDg8L2ludGVnZXI+CgkJPGludGVnZXI+MTg0NDY3"
                + "NDQwNzM3MDk1NTE2MTU8L2ludGVnZXI+Cgk8L2FycmF5Pgo8L2RpY3Q+CjwvcGxpc3Q+Cg==",
            expected: "eyJpIjo3LCJ1IjpbOS4yMjMzNzIwMzY4NTQ3NzZlKzE4LDEuODQ0Njc0NDA3MzcwOTU1MmUrMTldfQ=="),
    ]
}
