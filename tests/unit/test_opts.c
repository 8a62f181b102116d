/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "opts.h"
#include "tests.h"

static const struct {
	const char *text;
	int err;
	uint64_t want;
} sizes[] = {
	{ "0", 0, 0 },
	{ "64", 0, 64 },
	{ "4k", 0, 4096 },
	{ "1M", 0, 1 << 20 },
	{ "2g", 0, 2ull << 30 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "", -EINVAL, 0 },
	{ "k", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "1.5k", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "12q", -EINVAL, 0 },
	{ "1kk", -EINVAL, 0 },
	{ "99999999999999999999", -ERANGE, 0 },
	{ "99999999999g", -ERANGE, 0 },
};

struct settings {
	uint64_t count, size;
	bool flag;
	const char *name;
	struct opt_list list;
};

static const struct opt opts[] = {
	OPT_U64('n', "count", settings, count, "6", 1, 100,
		"how often to try, times; more is better"),
	OPT_SIZE('s', "size", settings, size, "4k", 64, 1 << 20,
		 "of the message, bytes"),
	OPT_FLAG('f', "flag", settings, flag, "do it"),
	OPT_STR(0, "name", settings, name, "none", "whom to ask, name"),
	OPT_LIST('c', "case", settings, list, "cases, glob"),
	OPT_U64(0, "times", settings, count, NULL, 1, 100, NULL),
	OPT_END,
};

static struct settings set;

static const struct opt_set sets[] = {
	{ "Options", opts, &set },
	{ "Empty", NULL, NULL },
	{ NULL, NULL, NULL },
};

/* Parse the words of @line, which are split at blanks. */
static int parse(const char *line, const char **why)
{
	static char words[4 * OPT_LIST_MAX + 512];
	static char *argv[OPT_LIST_MAX + 64];
	char *save = NULL;
	int argc = 1;

	argv[0] = "test";
	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok_r(words, " ", &save);
	     w && argc < OPT_LIST_MAX + 63; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	return opts_parse(argc, argv, sets, why);
}

TEST(parses_sizes)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t got = 0;
		int err = parse_size(sizes[i].text, &got);

		OK(err == sizes[i].err && got == sizes[i].want, sizes[i].text);
	}
}

TEST(accepts)
{
	const char *why;

	OK(parse("", &why) == 1 && set.count == 6 && set.size == 4096 &&
		   !set.flag && !strcmp(set.name, "none") && !set.list.n,
	   "defaults");
	OK(parse("--count=7 --size 1k --flag --name=x", &why) == 6 &&
		   set.count == 7 && set.size == 1024 && set.flag &&
		   !strcmp(set.name, "x"),
	   "long options, with = and with a blank");
	OK(parse("-n8 -s 64 -f", &why) == 5 && set.count == 8 && set.size == 64,
	   "short options");
	OK(parse("-c a --case=b -cc", &why) == 5 && set.list.n == 3 &&
		   !strcmp(set.list.item[0], "a") &&
		   !strcmp(set.list.item[2], "c"),
	   "a list keeps every value in order");
	OK(parse("", &why) == 1 && set.list.n == 0,
	   "a second parse starts afresh");
	OK(parse("--name=", &why) == 1 + 1 && !*set.name, "an empty value");
	OK(parse("--count 9 --count 10", &why) > 0 && set.count == 10,
	   "the last one counts");
	OK(parse("dir --count 11", &why) == 3 && set.count == 11,
	   "operands are moved behind the options");
	OK(parse("--count 12 -- --flag", &why) == 4, "-- ends the options");
	OK(parse("--times 13", &why) == 3 && set.count == 13,
	   "an earlier name of an option");
}

/* Operands anywhere, also where the environment says that they end the
 * options. */
TEST(permutes)
{
	char *argv[] = { "test", "one", "--count", "11",     "two", "-fn",
			 "12",	 "-",	"--",	   "--name", NULL };
	const char *why;

	setenv("POSIXLY_CORRECT", "1", 1);
	OK(opts_parse(10, argv, sets, &why) == 6 && set.count == 12 &&
		   set.flag && !strcmp(set.name, "none"),
	   "options behind operands");
	OK_STR(argv[6], "one", "the operands in their order");
	/* As those of a command behind our options. */
	OK(opts_parse(2, argv, sets, &why) == -EINVAL &&
		   !strcmp(why, "--count: needs a value"),
	   "a word behind the last one is no value");
	OK_STR(argv[7], "two", "the second");
	OK_STR(argv[8], "-", "a dash alone");
	OK_STR(argv[9], "--name", "what stands behind --");
	OK_STR(argv[1], "--count", "and the options in theirs");
	OK_STR(argv[5], "--", "to the last");
	accepts();
	unsetenv("POSIXLY_CORRECT");
}

static const struct {
	const char *line, *want;
} bad[] = {
	{ "--xyz", "--xyz: unknown option" },
	{ "--cuont", "--cuont: unknown option; did you mean --count?" },
	{ "--counts", "--counts: unknown option; did you mean --count?" },
	{ "-q", "-q: unknown option" },
	{ "-fq", "-q: unknown option" },
	{ "--c", "--c: ambiguous option; did you mean --count?" },
	{ "--count", "--count: needs a value" },
	{ "-n", "--count: needs a value" },
	{ "--flag=1", "--flag: takes no value" },
	{ "--count 0", "--count takes 1 to 100, not '0'" },
	{ "--count 101", "--count takes 1 to 100, not '101'" },
	{ "--count +5", "--count takes 1 to 100, not '+5'" },
	{ "--count 5k", "--count takes 1 to 100, not '5k'" },
	{ "--count=", "--count takes 1 to 100, not ''" },
	{ "--size 2M", "--size takes 64 to 1M, not '2M'" },
	{ "--size x", "--size takes 64 to 1M, not 'x'" },
};

TEST(means)
{
	static const char names[] = "csv, json, junit, open";

	OK_STR(opts_meant("jsno", names), "; did you mean json?", "a name");
	OK_STR(opts_meant("opne", names), "; did you mean open?", "the last");
	OK_STR(opts_meant("csw", names), "; did you mean csv?", "the first");
	OK_STR(opts_meant("sundial", names), "", "none is like it");
	OK_STR(opts_meant("json", "duration"), "", "two letters of a long one");
	OK_STR(opts_meant("dur", "duration"), "; did you mean duration?",
	       "its begin");
	OK_STR(opts_meant("", names), "", "no word");
	OK_STR(opts_meant("csv", ""), "", "no names");
}

TEST(refuses)
{
	const char *why;
	char line[4 * OPT_LIST_MAX + 8] = "";

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		OK(parse(bad[i].line, &why) == -EINVAL, bad[i].line);
		OK_STR(why, bad[i].want, "and says why");
	}
	for (int i = 0; i < OPT_LIST_MAX + 1; i++)
		strncat(line, "-cx ", sizeof(line) - strlen(line) - 1);
	OK(parse(line, &why) == -EINVAL, "a list that is too long");
	OK_STR(why, "--case: given more than 256 times", "and says why");
}

/* The text that @print writes. */
static char *printed(void (*print)(FILE *f))
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	print(f);
	fclose(f);
	return text;
}

static void print_help(FILE *f)
{
	static const struct opt long_name[] = {
		OPT_FLAG(0, "a-name-that-is-too-long", settings, flag, "far"),
		OPT_END,
	};
	const struct opt_set two[] = {
		sets[0],
		{ "More", long_name, &set },
		{ NULL, NULL, NULL },
	};

	opts_help(f, two);
}

TEST(prints)
{
	char *text = printed(print_help);

	OK_STR(text,
	       "\nOptions:\n"
	       "  -n, --count        how often to try, times; more is better "
	       "[6]\n"
	       "  -s, --size         of the message, bytes [4k]\n"
	       "  -f, --flag         do it\n"
	       "      --name         whom to ask, name [none]\n"
	       "  -c, --case         cases, glob (repeatable)\n"
	       "\nMore:\n"
	       "      --a-name-that-is-too-long  far\n",
	       "help: aligned, a long name does not push the others");
	free(text);
}
