/** On a pod: names of container ports whose numbers the node assigns, separated by commas. */
export const dynamicPortsAnnotation = 'clusters.chandlery.io/dynamic-ports';

/** On a pod, written by the node: the assigned numbers by name, as JSON. */
export const portsAnnotation = 'clusters.chandlery.io/ports';

/** Numbers of ports by their names. */
export type PortNumbers = Readonly<Record<string, number>>;

type Annotations = Readonly<Record<string, string>> | undefined;

/** The ports that the node assigns. */
export function dynamicPortNames(annotations: Annotations): readonly string[] {
  const names = (annotations?.[dynamicPortsAnnotation] ?? '').split(',').map(name => name.trim());
  return [...new Set(names.filter(name => name !== ''))];
}

/** The numbers that a node has reported; those of other ports are ignored. */
export function reportedPorts(annotations: Annotations): PortNumbers {
  const names = dynamicPortNames(annotations);
  const entries = Object.entries(parse(annotations?.[portsAnnotation])).filter(
    (entry): entry is [string, number] => names.includes(entry[0]) && isPort(entry[1]),
  );
  return Object.fromEntries(entries);
}

function parse(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;

/** The text of {@link portsAnnotation}; the same for the same ports. */
export const formatPorts = (ports: PortNumbers): string =>
  JSON.stringify(Object.fromEntries(Object.entries(ports).sort(([left], [right]) => (left < right ? -1 : 1))));

/** The variables of the numbers: `PORT_HTTP_ADMIN` for `http-admin`. */
export const portVariables = (ports: PortNumbers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [`PORT_${name.toUpperCase().replaceAll('-', '_')}`, String(port)]),
  );
