#!/usr/bin/perl
# server.pl DIR [NAME BYTES]: serves the files of DIR over HTTP on loopback, one
# request at a time; of the file NAME it sends BYTES only and then hangs up,
# having promised them all.  Prints its port.  Ends when its standard input does.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;

my ($dir, $name, $bytes) = @ARGV;
my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', Proto => 'tcp')
	or die "no socket: $!\n";
$| = 1;
print $server->sockport, "\n";

my $select = IO::Select->new($server, \*STDIN);
while (my @ready = $select->can_read) {
	last if grep { $_ == \*STDIN && !sysread(STDIN, my $x, 1) } @ready;
	next unless grep { $_ == $server } @ready;
	my $client = $server->accept or next;
	my ($path) = (<$client> // '') =~ m{^GET /(\S*) };
	while (my $line = <$client>) { last if $line =~ /^\r?\n$/ }
	if (defined $path && $path !~ /\.\./ && open(my $f, '<:raw', "$dir/$path")) {
		local $/;
		my $data = <$f>;
		print $client "HTTP/1.0 200 OK\r\nContent-Length: ", length $data, "\r\n\r\n";
		$data = substr($data, 0, $bytes) if defined $name && $path =~ /\Q$name\E$/;
		print $client $data;
	} else {
		print $client "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n";
	}
	close $client;
}
