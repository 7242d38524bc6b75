/**
 * The program that starts a command in namespaces of its own, in Perl: it needs system calls that no tool of util-linux
 * makes (a symbolic link as a mount), in one process of two milliseconds. Reads its plan from the standard input, see
 * `launch-plan.ts`; reports on descriptor 3 why it could not start, or `ended` with the wait status of the command.
 *
 * Three processes: the *launcher* (outside; makes mount points, forwards signals, ends as the command did), *init* (process
 * 1 inside; mounts, reaps; its end is the end of everything inside) and the *command*.
 */
export const launcherSource = String.raw`
use strict;
my $parent = shift;
my ($rec, $bind, $private) = (0x4000, 0x1000, 0x40000);
my $here = -100;
my $sticky = 01000; # Marks mount points that a launcher has made, from the moment they exist.
my $input = '';
1 while sysread(STDIN, $input, 65536, length $input);
my @words = split /\0/, $input;
exit 125 unless @words and pop(@words) eq 'go';
open(my $report, '>&=', 3) or exit 125;
fcntl($report, 2, 1);
open(STDIN, '<', '/dev/null');

my (%number, @points, @views, @hidden, @binds, @links, %environment, @command, $folder, $isSweep);
while (defined(my $word = shift @words)) {
  if ($word eq 'number') { my $name = shift @words; $number{$name} = 0 + shift @words }
  elsif ($word eq 'point') { push @points, { kind => shift @words, base => shift @words, rest => shift @words } }
  elsif ($word eq 'view') { push @views, shift @words }
  elsif ($word eq 'hide') { push @hidden, shift @words }
  elsif ($word eq 'bind') { push @binds, [shift @words, shift @words] }
  elsif ($word eq 'link') { push @links, [shift @words, shift @words] }
  elsif ($word eq 'variable') { my $name = shift @words; $environment{$name} = shift @words }
  elsif ($word eq 'folder') { $folder = shift @words }
  elsif ($word eq 'sweep') { $isSweep = 1 }
  elsif ($word eq 'command') { my $count = shift @words; @command = splice @words, 0, $count }
  else { fail("unknown word $word in the plan") }
}

# The launcher is killed with its parent, and init with the launcher. A parent that ended before sends no signal.
control('prctl', 1, 9, 0, 0, 0);
exit 125 if getppid() != $parent;

sub fail { syswrite($report, $_[0]); exit 125 }
sub control { my ($name, @given) = @_; return syscall($number{$name}, @given) }
sub mountAt {
  my ($source, $target, $type, $flags, $data) = @_;
  control('mount', $source, $target, $type, $flags, $data) == 0 or fail("cannot mount $target: $!");
}
sub bindAt { mountAt($_[0], $_[1], 0, $bind | $rec, 0) }
sub makeFolders {
  my $made = '';
  for my $name (grep { $_ ne '' } split m{/}, $_[0]) { $made .= "/$name"; mkdir $made, 0755 }
}
sub makeFile { lstat($_[0]) or do { open(my $file, '>', $_[0]) or fail("cannot make $_[0]: $!") } }
sub makeTarget {
  my ($source, $target) = @_;
  return makeFolders($target) if -d $source;
  $target =~ m{^(.*)/} and makeFolders($1);
  makeFile($target);
}
sub isOurs { my @stat = @_; return @stat && $stat[2] & $sticky && (-d _ ? !($stat[2] & 022) : -f _) }

# Makes the missing parts of a mount point. Each user of one holds a shared lock on it, so that the last one removes it.
sub makePoint {
  my ($point) = @_;
  my @names = grep { $_ ne '' } split m{/}, $point->{rest};
  my $path = $point->{base};
  while (defined(my $name = shift @names)) {
    $path = ($path eq '/' ? '' : $path) . "/$name";
    my $isFile = !@names && $point->{kind} eq 'file';
    return 1 if $isSweep && !lstat $path;
    if (!$isSweep) { $isFile ? sysopen(my $new, $path, 0301, $sticky | 0644) : mkdir($path, $sticky | 0755) }
    my @stat = lstat($path) or return 0;
    next unless isOurs(@stat);
    sysopen(my $lock, $path, 0) or return 0;
    flock($lock, 1);
    my @now = lstat($path);
    return 0 unless @now && $now[1] == (stat $lock)[1];
    push @{$point->{held}}, [$path, $lock];
  }
  return 1;
}
sub holdPoint {
  for (1 .. 100) { return if makePoint($_[0]); $_[0]{held} = [] }
  fail("cannot make $_[0]{base}/$_[0]{rest}: $!");
}
# Of several users only the last one gets it. A launcher that was killed may take a moment to go.
sub lockAlone {
  for (1 .. ($isSweep ? 200 : 1)) {
    return 1 if flock($_[0], 2 | 4);
    select(undef, undef, undef, 0.01) if $isSweep;
  }
  return 0;
}
sub dropPoint {
  for my $held (reverse @{$_[0]{held} || []}) {
    my ($path, $lock) = @$held;
    next unless lockAlone($lock);
    my @stat = lstat($path);
    next unless @stat && $stat[1] == (stat $lock)[1];
    lstat($path);
    if (-d _) { rmdir $path } elsif (-z _) { unlink $path } else { chmod 0644, $path }
  }
}

sub view {
  my ($source, $target, $skipped) = @_;
  opendir(my $entries, $source) or fail("cannot read $source: $!");
  for my $name (grep { $_ ne '.' && $_ ne '..' && $_ ne $skipped } readdir $entries) {
    my ($from, $to) = (($source eq '/' ? '' : $source) . "/$name", "$target/$name");
    if (-l $from) { symlink(readlink($from), $to) }
    elsif (-d _) { mkdir $to; bindAt($from, $to) }
    elsif (-e _) { makeFile($to); bindAt($from, $to) }
  }
}
sub privateView {
  my ($path) = @_;
  mountAt('tmpfs', "/proc$path", 'tmpfs', 6, 'mode=755,size=16m');
  view($path, "/proc$path", '');
}
sub mountLink {
  my ($to, $path, $name) = @_;
  # A link cannot lie on a folder, which another pod may have there; an empty one hides it.
  return bindAt('/proc/.pod/empty', "/proc$path") if -d "/proc$path";
  my $link = "/proc/.pod/links/$name";
  my $nothing = '';
  symlink($to, $link) or fail("cannot link $link: $!");
  makeTarget('/dev/null', "/proc$path");
  my $tree = control('open_tree', $here, $link, 1 | 0x100 | 02000000);
  fail("cannot open $link: $!") if $tree < 0;
  control('move_mount', $tree, $nothing, $here, "/proc$path", 4) == 0 or fail("cannot mount $path: $!");
}
sub mountFolder {
  my ($source, $path, $name) = @_;
  my $target = "/proc$path";
  if (-d $source && -e $target && !-d _) {
    # Another pod has a file there: the folder is mounted elsewhere, and a link to it on the file.
    makeFolders("/proc/.pod/folders/$name");
    bindAt($source, "/proc/.pod/folders/$name");
    return mountLink("/.pod/folders/$name", $path, "folder-$name");
  }
  makeTarget($source, $target);
  bindAt($source, $target);
}
# The user keeps its number inside, which may be the superuser's: what it could reach by that alone is closed.
sub protectMachine {
  opendir(my $devices, '/dev') or return;
  for my $name (readdir $devices) { bindAt('/dev/null', "/proc/dev/$name") if -b "/dev/$name" && !-l "/dev/$name" }
  bindAt('/proc/proc/sys', '/proc/proc/sys');
  bindAt('/proc/dev/null', '/proc/proc/sysrq-trigger') if -e '/proc/proc/sysrq-trigger';
  my $readOnly = pack 'Q4', 1, 0, 0, 0;
  for my $path ('/proc/proc/sys', '/proc/sys') { control('mount_setattr', $here, $path, 0x8000, $readOnly, 32) }
}
# The new root is built over /proc, which is the one folder of the machine that the command does not get.
sub buildRoot {
  mountAt('none', '/', 0, $rec | $private, 0);
  mountAt('tmpfs', '/proc', 'tmpfs', 6, 'mode=755,size=64m');
  view('/', '/proc', 'proc');
  makeFolders("/proc/$_") for 'proc', '.pod/empty', '.pod/links';
  mountAt('proc', '/proc/proc', 'proc', 14, 0);
  privateView($_) for @views;
  for my $path (@hidden) { bindAt(-d $path ? '/proc/.pod/empty' : '/dev/null', "/proc$path") if -e $path }
  for my $index (0 .. $#binds) { mountFolder($binds[$index][0], $binds[$index][1], $index) }
  for my $index (0 .. $#links) { mountLink($links[$index][0], $links[$index][1], $index) }
  protectMachine();
  chdir '/proc' or fail("cannot enter the new root: $!");
  my $dot = '.';
  control('pivot_root', $dot, $dot) == 0 or fail("cannot change the root: $!");
  control('umount2', $dot, 2) == 0 or fail("cannot leave the old root: $!");
}
sub runCommand {
  makeFolders($folder);
  chdir $folder or fail("cannot enter the working folder $folder: $!");
  # What containers usually may; not to mount, to trace, to make devices.
  my %kept = map { $_ => 1 } 0, 1, 3, 4, 5, 6, 7, 8, 10, 29, 31;
  for my $capability (0 .. 63) { control('prctl', 24, $capability, 0, 0, 0) unless $kept{$capability} }
  %ENV = %environment;
  exec { $command[0] } @command or print STDERR "$command[0]: $!\n";
  exit($!+0 == 2 ? 127 : 126);
}
sub forwardTo { my ($pid) = @_; for my $name (qw(TERM INT HUP QUIT USR1 USR2)) { $SIG{$name} = sub { kill $name, $pid } } }
sub awaitEnd {
  my ($pid) = @_;
  for (;;) {
    my $ended = waitpid(-1, 0);
    return $? if $ended == $pid;
    return 0 if $ended < 0 && $!+0 == 10;
  }
}
sub runInit {
  my ($ready, $status) = @_;
  control('prctl', 1, 9, 0, 0, 0);
  sysread($ready, my $go, 1) or exit 125;
  buildRoot();
  my $pid = fork();
  fail("cannot fork: $!") unless defined $pid;
  runCommand() if $pid == 0;
  close STDOUT; close STDERR;
  forwardTo($pid);
  my $ended = awaitEnd($pid);
  do { kill 'KILL', -1 } until waitpid(-1, 0) < 0 && $!+0 == 10;
  syswrite($status, $ended);
  exit 0;
}
# The status of the command, once nothing but init is left inside; empty when init was killed.
sub readStatus {
  my ($ended) = @_;
  my $text = '';
  for (;;) {
    my $count = sysread($ended, $text, 32);
    return $text if defined $count;
  }
}
sub identity {
  my ($kind, $own) = @_;
  return "$own $own 1\n" if $> != 0;
  open(my $map, '<', "/proc/self/$kind" . "_map") or return "0 0 1\n";
  return join '', map { /(\d+)\s+\d+\s+(\d+)/ ? "$1 $1 $2\n" : '' } <$map>;
}
sub writeFile {
  my ($path, $text) = @_;
  open(my $file, '>', $path) or fail("cannot open $path: $!");
  syswrite($file, $text) or fail("cannot write $path: $!");
}
sub endAs {
  my ($status) = @_;
  exit($status >> 8) unless $status & 127;
  my $signal = $status & 127;
  require Config;
  my $name = (split ' ', $Config::Config{sig_name})[$signal];
  $SIG{$name} = 'DEFAULT';
  kill $signal, $$;
  sleep 1;
  exit(128 + $signal);
}

holdPoint($_) for @points;
if ($isSweep) { dropPoint($_) for @points; exit 0 }
pipe(my $ready, my $go);
pipe(my $ended, my $status);
my $pid = control('clone', 0x10000000 | 0x20000000 | 0x20000 | 17, 0, 0, 0, 0);
if ($pid == 0) { close $go; close $ended; runInit($ready, $status) }
if ($pid < 0) { my $why = "$!"; dropPoint($_) for @points; fail("cannot make namespaces: $why") }
close $status; close $ready;
forwardTo($pid);
writeFile("/proc/$pid/setgroups", 'deny') if $> != 0;
writeFile("/proc/$pid/uid_map", identity('uid', $>));
writeFile("/proc/$pid/gid_map", identity('gid', (split ' ', $))[0]));
syswrite($go, '1');
close STDOUT; close STDERR;
my $text = readStatus($ended);
dropPoint($_) for @points;
# The kernel takes milliseconds to take the namespaces down, and no caller waits for it.
syswrite($report, "ended $text") if $text ne '';
my $init = awaitEnd($pid);
endAs($text eq '' ? $init : $text);
`;
