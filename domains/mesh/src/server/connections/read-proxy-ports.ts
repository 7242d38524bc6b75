import { ChandleryError, type JsonValue } from '@chandlery/api';
import { defaultProxyPorts, type ProxyPorts } from '../../model/traffic-settings.ts';

/** Metadata key of the ports that an Envoy listens on. */
export const portsKey = 'mesh.chandlery.io/ports';

/** Bounds the listeners that one proxy can request. */
const maxPlaintextPorts = 32;

/**
 * Reads the ports of an Envoy from its metadata: `{"outbound": 15001, "inbound": 15003, "plaintext": [9090]}`; missing
 * fields have defaults. Throws `InvalidRequest`.
 */
export function readProxyPorts(value: JsonValue): ProxyPorts {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it is not an object');
  const { outbound = defaultProxyPorts.outbound, inbound = defaultProxyPorts.inbound, plaintext = [] } = value;
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
