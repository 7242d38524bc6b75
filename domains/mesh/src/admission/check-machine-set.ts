import type { VirtualMachineSet } from '../kinds/virtual-machine-set.ts';
import { canonicalIp } from '../model/endpoints/canonical-ip.ts';

/** An invalid field. */
export interface FieldProblem {
  /** Path of the field, such as `spec.machines[0].addresses[1]`. */
  readonly field: string;
  readonly message: string;
}

/** Checks what the schema cannot express: valid addresses and unique names. Returns no problem for a valid set. */
export function checkMachineSet({ machines = [], services = [] }: VirtualMachineSet['spec']): readonly FieldProblem[] {
  return [
    ...repetitions(machines.map(({ id }, index) => [`spec.machines[${index}].id`, id])),
    ...repetitions(services.map(({ name }, index) => [`spec.services[${index}].name`, name])),
    ...services.flatMap(({ ports }, at) =>
      repetitions(ports.map(({ name }, index) => [`spec.services[${at}].ports[${index}].name`, name])),
    ),
    ...machines.flatMap(({ addresses }, at) => badAddresses(`spec.machines[${at}].addresses`, addresses)),
    ...repetitions(machines.flatMap(({ addresses }, at) => placedAddresses(at, addresses))),
  ];
}

type Placed = readonly [field: string, value: string];

const badAddresses = (field: string, addresses: readonly string[]): readonly FieldProblem[] =>
  addresses.flatMap((address, index) =>
    canonicalIp(address) === undefined
      ? [{ field: `${field}[${index}]`, message: `"${address}" is not the IP address of a machine` }]
      : [],
  );

const placedAddresses = (at: number, addresses: readonly string[]): readonly Placed[] =>
  addresses.flatMap((address, index) => {
    const ip = canonicalIp(address);
    return ip === undefined ? [] : [[`spec.machines[${at}].addresses[${index}]`, ip] as const];
  });

function repetitions(placed: readonly Placed[]): readonly FieldProblem[] {
  const seen = new Map<string, string>();
  return placed.flatMap(([field, value]) => {
    const first = seen.get(value);
    if (first === undefined) seen.set(value, field);
    return first === undefined ? [] : [{ field, message: `"${value}" is a duplicate of ${first}` }];
  });
}
