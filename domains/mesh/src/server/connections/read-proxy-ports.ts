import { ChandleryError, type JsonValue } from '@chandlery/api';
import { defaultProxyPorts, type ProxyPorts } from '../../model/traffic-settings.ts';

/** The key in a node's metadata under which an Envoy says where it listens. */
export const portsKey = 'mesh.chandlery.io/ports';

/** More than any workload needs; a proxy cannot make the control plane write endless listeners. */
const maxPlaintextPorts = 32;

/**
 * Reads where an Envoy listens from its metadata: `{"outbound": 15001, "inbound": 15003, "plaintext": [9090]}`, where what is
 * left out has its default. Throws `InvalidRequest`.
 */
export function readProxyPorts(said: JsonValue): ProxyPorts {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) throw invalid('it is not an object');
  const { outbound = defaultProxyPorts.outbound, inbound = defaultProxyPorts.inbound, plaintext = [] } = said;
  if (!Array.isArray(plaintext) || plaintext.length > maxPlaintextPorts)
    throw invalid(`"plaintext" is not a list of at most ${maxPlaintextPorts} ports`);
  const ports = {
    outbound: portOf(outbound),
    inbound: portOf(inbound),
    plaintext: [...new Set(plaintext.map(portOf))].sort((one, other) => one - other),
  };
  if (ports.outbound === ports.inbound) throw invalid('one port is given for both directions');
  return ports;
}

function portOf(value: JsonValue): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535) return value;
  throw invalid(`${JSON.stringify(value)} is not a port`);
}

const invalid = (why: string): ChandleryError =>
  new ChandleryError('InvalidRequest', `"${portsKey}" in the metadata of the node cannot be read: ${why}`, {
    hint: 'Write it as {"outbound": 15001, "inbound": 15003, "plaintext": [9090]}.',
  });
