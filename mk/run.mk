# SPDX-License-Identifier: MIT
# Running the suite, installing it, cleaning up.

# run-all takes these from the command line of make alone, as in
# `make run-all PROFILE=quick ONLY="syscall loop"`: DIR or CPU may be in
# anybody's environment, and would measure another disk or another CPU.
given = $(if $(filter command,$(origin $(1))),$($(1)))
quoted = '$(subst ','\'',$(1))'
options = $(foreach name,$(1),$(if $(call given,$(name)),\
	--$(shell echo $(name) | tr A-Z_ a-z-) $(call quoted,$(call given,$(name)))))
# Its options are those of its usage, of which a flag takes no value.
RUN_ALL_OPTIONS := $(filter-out BIN,$(shell sed -nE 's/^\#   --([a-z-]+) [^ ].*/\1/p' scripts/run-all | tr a-z- A-Z_))
RUN_ALL_FLAGS = --bin '$(BUILD)/bin' $(call options,$(RUN_ALL_OPTIONS)) \
	$(if $(call given,RESUME_FAILED),--resume-failed)

# A variable that nothing takes, such as a wrong spelling, would be ignored.
strange = $(shell awk -v names='$(foreach name,$(.VARIABLES),$(if $(call given,$(name)),$(name)))' \
	-v options='$(RUN_ALL_OPTIONS)' \
	-f scripts/lib/nearest.awk -f scripts/lib/strange.awk $(MAKEFILE_LIST))

# Use all CPUs for the build unless the caller said how many jobs.
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# The set-up comes before the build, which cannot work without it; so the
# build is no prerequisite here.
.PHONY: run-all
run-all: ## measure: PROFILE=card|quick|default|publish PRECISION=2 ONLY="a b" CPU= PRIO= FILE_CACHE=machine PEER=user@host OUT= RESUME=
	$(Q)$(if $(strange),$(error $(strange)))scripts/setup run
	$(Q)$(NFSLAB_SETUP)
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)scripts/run-all $(RUN_ALL_FLAGS)

.PHONY: card
card: ## measure what people quote, in 20 seconds: CPU= PRIO= OUT=
	$(Q)$(if $(strange),$(error $(strange)))scripts/setup card
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)scripts/run-all $(RUN_ALL_FLAGS) --profile card

.PHONY: setup
setup: ## install what is missing to build and run
	$(Q)scripts/setup run

targets = awk -F ':.*\#\# ' '/^($(1)):.*\#\# / { printf "  %-12s %s\n", $$1, $$2 }' \
	  $(filter Makefile %.mk,$(MAKEFILE_LIST)) | sort

.PHONY: help
help: ## print the targets that people type
	@$(call targets,all|card|run-all|test|install|deb|lint|help-dev)

.PHONY: help-dev
help-dev: ## print all targets
	@$(call targets,[a-z][a-z-]*)

# Pages are made from --help, so they cannot fall behind the option tables: a page for
# each benchmark, and one for each word of `oscost help`, with the program behind it.
PAGED      := $(notdir $(BENCHES))
WORDS      := card run lmbench fleet list explain show report export ab compare \
	      history kernels layers under ledger bill noise load tune doctor
MANS       := $(patsubst %,$(BUILD)/man/oscost-%.1,$(PAGED) $(WORDS)) $(BUILD)/man/oscost.1
COMPLETION := contrib/completion
FRONT      := card list explain doctor
of_report  := show report export compare history
behind      = $(strip $(if $(filter $(FRONT),$(1)),scripts/oscost $(1),\
	      $(if $(filter report,$(1)),$(BUILD)/bin/report,\
	      $(if $(filter $(of_report),$(1)),$(BUILD)/bin/report $(1),\
	      $(if $(filter noise,$(1)),$(BUILD)/bin/machine noise,\
	      $(if $(filter load,$(1)),$(BUILD)/bin/cpu_load,\
	      scripts/$(1:run=run-all)))))))

$(PAGED:%=$(BUILD)/man/oscost-%.1): $(BUILD)/man/oscost-%.1: $(BUILD)/bin/% scripts/man
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/man oscost-$* '' $< >$@
$(WORDS:%=$(BUILD)/man/oscost-%.1): $(BUILD)/man/oscost-%.1: scripts/oscost scripts/man \
		$(BUILD)/bin/report $(BUILD)/bin/machine $(BUILD)/bin/cpu_load $(SCRIPTS)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/man oscost-$* "$$(sed -nE 's/^#   $*( [^ ]+)*  +//p' scripts/oscost)" \
		$(call behind,$*) >$@
$(BUILD)/man/oscost.1: scripts/oscost scripts/man
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/man oscost 'what each operation of this operating system costs here' $< >$@
	$(Q)printf '.SH SEE ALSO\n' >>$@
	$(Q)printf '.BR oscost-%s (1),\n' $(sort $(PAGED) $(WORDS)) | sed '$$s/,$$//' >>$@

.PHONY: man
man: $(MANS) ## man pages into $(BUILD)

# $(INSTALLED) holds the tree that the programs expect around them, as in $(BUILD) and
# here; $(bindir) has one link: `sync` and `timer` would hide other commands.
libexecdir := $(PREFIX)/libexec/oscost
SCRIPTS    := $(addprefix scripts/,ab bill certify fleet kernels layers ledger lmbench load-plot net_delay netlab oscost pdf \
	      packages.tsv plot run-all setup tune under)
INSTALLED   = $(DESTDIR)$(libexecdir)
SHARE       = $(DESTDIR)$(PREFIX)/share

# To a shell a path with a blank is two, of which one would be removed.
INSTALL_TO = $(DESTDIR)$(PREFIX) $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)
one_word   = $(if $(word 4,$(INSTALL_TO)),$(error DESTDIR and PREFIX must have no blanks: $(DESTDIR)$(PREFIX)))

.PHONY: install
install: all man install-library ## copy everything under $(DESTDIR)$(PREFIX)
	$(one_word)
	$(Q)install -d $(addprefix $(INSTALLED)/,bin scripts/lib plots) $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1
	$(Q)install -m 755 $(BENCHES) $(REPORT) $(INSTALLED)/bin
	$(Q)for file in $(patsubst $(BUILD)/%,%,$(INSTALL_LIBS) $(INSTALL_LIBEXEC)); do \
		install -D $(BUILD)/$$file $(INSTALLED)/$$file || exit; \
	done
	$(Q)install -m 755 $(SCRIPTS) $(INSTALLED)/scripts
	$(Q)for file in $(wildcard bench/*/rows.tsv monitor/rows.tsv report/*.tsv contrib/export/*.jq ledger/*.c); do \
		install -D -m 644 $$file $(INSTALLED)/$$file || exit; \
	done
	$(Q)install -m 644 $(wildcard scripts/lib/*) $(INSTALLED)/scripts/lib
	$(Q)install -m 644 $(wildcard plots/*) $(INSTALLED)/plots
	$(Q)ln -sf ../libexec/oscost/scripts/oscost $(DESTDIR)$(bindir)/oscost
	$(Q)install -m 644 $(MANS) $(DESTDIR)$(mandir)/man1
	$(Q)install -D -m 644 $(COMPLETION)/oscost $(SHARE)/bash-completion/completions/oscost
	$(Q)install -D -m 644 $(COMPLETION)/_oscost $(SHARE)/zsh/site-functions/_oscost
	$(Q)install -D -m 644 $(COMPLETION)/oscost.fish $(SHARE)/fish/vendor_completions.d/oscost.fish

# By name, so that nothing else is touched; also what older versions have left.
.PHONY: uninstall
uninstall: ## remove what install has put there
	$(one_word)
	$(Q)rm -rf '$(INSTALLED)' '$(DESTDIR)$(PREFIX)/lib/oscost'
	$(Q)rm -f $(addprefix $(DESTDIR),$(bindir)/oscost $(bindir)/oscost-* $(mandir)/man1/oscost.1 $(mandir)/man1/oscost-*.1) \
		$(addprefix $(SHARE)/,bash-completion/completions/oscost bash-completion/completions/oscost-* \
		zsh/site-functions/_oscost fish/vendor_completions.d/oscost.fish) $(INSTALLED_LIBRARY)

.PHONY: clean-up
clean-up: $(MACHINE) ## remove test files and network namespaces that killed programs have left
	$(Q)$(MACHINE) clean-up

.PHONY: clean
clean: ## delete what was built; results/ stays
	rm -rf build build-san build-fuzz $(BUILD) compile_commands.json
