import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runProcess, startProcess, tempFolder } from '@chandlery/testing';
import { Agent, fetch } from 'undici';
import type { CallOutcome, HostAddress, HostCommand } from './host-command.ts';

/** A machine of its own as far as the network is concerned: a network namespace, in which a program does as it is asked. */
export interface NetworkHost {
  readonly address: string;
  /** The beginning of a command line that runs a program there. */
  readonly enter: readonly string[];
  /** Runs a script there; fails when it does. */
  run(script: string): Promise<void>;
  /** Sends a GET from there, on a connection of its own. */
  get(url: string): Promise<CallOutcome>;
  /** Serves HTTP there, with the same text for each path. */
  serve(at: HostAddress, text: string): Promise<void>;
  /** Accepts connections there, says something, and closes them: without waiting for the other side to speak. */
  greet(at: HostAddress, text: string): Promise<void>;
  /** Connects from there and returns all that the other side says. */
  hear(from: HostAddress): Promise<CallOutcome>;
  /** Makes a server there take connections and requests and not answer, or answer again. */
  hang(port: number, isHanging: boolean): Promise<void>;
  /** Forwards connections, and keeps what callers send. */
  tap(at: HostAddress, to: HostAddress): Promise<void>;
  /** Returns what callers have sent through a tap. */
  tapped(port: number): Promise<Buffer>;
  /** Leads connections out of the network, to a unix socket. */
  leave(at: HostAddress, socketPath: string): Promise<void>;
}

/** Hosts that reach each other and no other host. */
export interface Network<Name extends string> extends AsyncDisposable {
  readonly hosts: Readonly<Record<Name, NetworkHost>>;
}

const worker = join(import.meta.dirname, 'host-worker.ts');
const prefixLength = 24;

/**
 * Starts a network of hosts with these addresses, the first of which is the gateway of the others. Each has its
 * addresses on `eth0`. Namespaces have no names: they go with their processes, however the test ends.
 */
export async function startNetwork<Name extends string>(
  addresses: Readonly<Record<Name, readonly [string, ...string[]]>>,
): Promise<Network<Name>> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder('chandlery-net-'));
  const hosts: Partial<Record<Name, NetworkHost>> = {};
  let gateway: { readonly host: NetworkHost; readonly address: string } | undefined;
  for (const [name, own] of Object.entries(addresses) as [Name, readonly [string, ...string[]]][]) {
    const socketPath = folder.join(`${name}.sock`);
    const running = stack.use(
      await startProcess('unshare', ['--net', process.execPath, worker, socketPath], { ready: /ready/ }),
    );
    const agent = stack.adopt(new Agent({ connect: { socketPath } }), each => each.destroy());
    const host = hostOf(own[0], { pid: running.pid, agent });
    hosts[name] = host;
    if (gateway === undefined) await host.run('ip link add eth0 type bridge');
    else
      await gateway.host.run(`ip link add ${name} type veth peer name eth0 netns ${running.pid}
ip link set ${name} master eth0 up`);
    await host.run(upScript(own, gateway?.address));
    gateway ??= { host, address: own[0] };
  }
  const owned = stack.move();
  return { hosts: hosts as Record<Name, NetworkHost>, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const upScript = (addresses: readonly string[], gateway: string | undefined): string =>
  [
    'ip link set lo up',
    ...addresses.map(address => `ip address add ${address}/${prefixLength} dev eth0`),
    'ip link set eth0 up',
    ...(gateway === undefined ? [] : [`ip route add default via ${gateway}`]),
  ].join('\n');

function hostOf(address: string, { pid, agent }: { readonly pid: number; readonly agent: Agent }): NetworkHost {
  const enter = ['nsenter', `--net=/proc/${pid}/ns/net`] as const;
  const ask = async <T>(command: HostCommand): Promise<T> => {
    const answer = await fetch('http://host/', { method: 'POST', body: JSON.stringify(command), dispatcher: agent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`cannot ${command.do} on ${address}: ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    address,
    enter,
    run: async script => {
      const { code, stderr } = await runProcess(enter[0], [enter[1], 'sh', '-ec', script]);
      assert.equal(code, 0, `${script}: ${stderr}`);
    },
    get: url => ask({ do: 'get', url }),
    serve: (at, text) => ask({ do: 'serve', at, text }),
    greet: (at, text) => ask({ do: 'greet', at, text }),
    hear: from => ask({ do: 'hear', from }),
    hang: (port, isHanging) => ask({ do: 'hang', port, isHanging }),
    tap: (at, to) => ask({ do: 'tap', at, to }),
    tapped: async port => Buffer.from(await ask<string>({ do: 'tapped', port }), 'base64'),
    leave: (at, socketPath) => ask({ do: 'leave', at, socketPath }),
  };
}
