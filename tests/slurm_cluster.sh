#!/usr/bin/env bash
# A Slurm cluster of one node on this machine, from Debian's packages (munge, slurmctld, slurmd, slurm-client), all of
# it below one directory: no systemd, no cgroups, nothing in /etc, and beside any Slurm this machine may have.
#
#   slurm_cluster.sh start DIR    exit code 0: DIR/slurm.conf is what SLURM_CONF must name; 77: this machine cannot,
#                                 and the last line says why
#   slurm_cluster.sh stop DIR
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin  # the daemons are there, and not everyone looks there

cannot() {
  printf 'no Slurm here: %s\n' "$*"
  exit 77
}

# wait_until SECONDS COMMAND...: false if it did not succeed in time.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= end)); then return 1; fi
    sleep 0.1
  done
}

# A port nobody listens on. Another process may take it before we do; then the daemon says so in its log.
free_port() {
  local port
  for port in $(shuf -i 20000-30000 -n 50); do
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
}

configuration() {
  local user cores memory
  user=$(id -un)
  cores=$(nproc)
  memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
  cat <<CONFIGURATION
ClusterName=flitscope
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$directory/munge.socket
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd.pid
SlurmctldLogFile=$directory/slurmctld.log
SlurmdLogFile=$directory/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
PluginDir=$plugins
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,default_queue_depth=1000
ReturnToService=2
SlurmdParameters=config_overrides
MinJobAge=300
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores RealMemory=$memory State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=1:00:00 State=UP
CONFIGURATION
}

start() {
  local tool
  for tool in munged mungekey slurmctld slurmd sbatch squeue; do
    command -v "$tool" >/dev/null || cannot "$tool is not installed (packages munge slurmctld slurmd slurm-client)"
  done
  plugins=$(dirname "$(find /usr/lib -name auth_munge.so -print -quit 2>/dev/null)")
  [[ -f $plugins/proctrack_linuxproc.so ]] || cannot "the plugins of Slurm are not where Debian puts them"

  mkdir -p "$directory"/{state,spool}
  chmod 755 "$directory"
  mungekey --create --keyfile "$directory/munge.key" || cannot "mungekey cannot make a key"
  munged --force --key-file "$directory/munge.key" --socket "$directory/munge.socket" \
    --pid-file "$directory/munge.pid" --log-file "$directory/munge.log" --seed-file "$directory/munge.seed" \
    >"$directory/munge.out" 2>&1 || cannot "munged does not start: $(tail -n 1 "$directory/munge.out")"

  configuration >"$directory/slurm.conf"
  export SLURM_CONF=$directory/slurm.conf
  slurmctld -c || cannot "slurmctld does not start: $(tail -n 1 "$directory/slurmctld.log")"
  slurmd -N "$host" || cannot "slurmd does not start: $(tail -n 1 "$directory/slurmd.log")"
  wait_until 30 node_is_idle ||
    cannot "the node does not come up: $(sinfo -h -o '%T %E' 2>&1 | tail -n 1); see $directory/slurmctld.log"
}

node_is_idle() { [[ $(sinfo -h -o %T) == idle ]]; }

stop() {
  local daemon pid
  export SLURM_CONF=$directory/slurm.conf
  scancel --user "$(id -un)" 2>/dev/null || true
  for daemon in slurmd slurmctld munge; do
    pid=$(cat "$directory/$daemon.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || continue
    wait_until 10 eval "! kill -0 $pid" || kill -KILL "$pid" 2>/dev/null || true
  done
}

if (($# != 2)); then
  echo "usage: slurm_cluster.sh start|stop DIR" >&2
  exit 2
fi
directory=$(realpath -m "$2")
host=$(hostname -s)
case $1 in
  start)
    trap 'if (($? != 0)); then stop; fi' EXIT
    start
    ;;
  stop) stop ;;
  *)
    echo "usage: slurm_cluster.sh start|stop DIR" >&2
    exit 2
    ;;
esac
