# SPDX-License-Identifier: MIT
# The rows that are times, a sample for each round; MMTests compares one unit.
package MMTests::ExtractOscost;
use MMTests::SummariseMultiops;
our @ISA = qw(MMTests::SummariseMultiops);
use strict;

sub new() {
	my $class = shift;
	my $self = {
		_ModuleName => "ExtractOscost",
		_PlotYaxis  => DataTypes::LABEL_TIME_NSECONDS,
		_PlotType   => "operation-candlesticks",
		_Precision  => 3,
	};
	bless $self, $class;
	return $self;
}

sub extractReport() {
	my ($self, $reportDir) = @_;
	my %rounds;

	open(my $log, '<', "$reportDir/oscost.log") || die("Failed to open $reportDir/oscost.log\n");
	while (<$log>) {
		next if ($_ !~ m{^Benchmark(\S+) \d+ (\S+) ns/op$});
		$self->addData($1, ++$rounds{$1}, $2);
	}
	close($log);
}

1;
