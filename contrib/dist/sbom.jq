# SPDX-License-Identifier: MIT
# SPDX 2.3 of the static file; the input is lines of source package, version and licence.
def id($name): "SPDXRef-" + ($name | gsub("[^A-Za-z0-9.-]"; "-"));
def package($name; $version; $licence):
	{ SPDXID: id($name), name: $name, versionInfo: $version, downloadLocation: "NOASSERTION",
	  filesAnalyzed: false, licenseConcluded: $licence, licenseDeclared: $licence,
	  copyrightText: "NOASSERTION" };
def link($from; $type; $to): { spdxElementId: $from, relationshipType: $type, relatedSpdxElement: $to };

[inputs / "\t" | { name: .[0], version: .[1], licence: .[2] }] as $libraries
| id("oscost-static") as $file
| { spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT",
    name: "oscost-static-\($version)",
    documentNamespace: "https://spdx.org/spdxdocs/oscost-static-\($version)-\($sum)",
    creationInfo: { created: $created, creators: ["Tool: oscost-dist-\($version)"] },
    packages: ([package("oscost-static"; $version; "MIT")
		+ { licenseConcluded: (["MIT"] + [$libraries[].licence] | unique | join(" AND ")),
		    packageFileName: "oscost-static", primaryPackagePurpose: "APPLICATION",
		    checksums: [{ algorithm: "SHA256", checksumValue: $sum }] }]
	+ [$libraries[] | package(.name; .version; .licence)
		+ { primaryPackagePurpose: "LIBRARY",
		    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
			referenceLocator: "pkg:deb/\($distribution)/\(.name)@\(.version | @uri)?arch=source" }] }]),
    relationships: ([link("SPDXRef-DOCUMENT"; "DESCRIBES"; $file)]
	+ [$libraries[] | link($file; "STATIC_LINK"; id(.name))]) }
