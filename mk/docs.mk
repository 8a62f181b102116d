# SPDX-License-Identifier: MIT
# The pages of docs/ with their tables in them.

DOC_PAGES := $(shell find docs -name '*.md')

.PHONY: docs
docs: $(DOC_PAGES:%=$(BUILD)/%) ## the pages of docs/ with the tables of docs/*.tsv in them: build/docs

$(BUILD)/docs/%.md: docs/%.md $(wildcard docs/*.tsv bench/*/rows.tsv) scripts/lib/doc-tables.pl
	@mkdir -p $(@D)
	$(Q)perl scripts/lib/doc-tables.pl $< >$@
