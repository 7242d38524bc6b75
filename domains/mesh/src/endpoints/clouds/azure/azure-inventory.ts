/** Objects of Azure Resource Manager, as far as they are read. */
interface ArmObject<Properties> {
  readonly id: string;
  readonly location?: string;
  readonly zones?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties?: Properties;
}

interface ArmReference {
  readonly id?: string;
}

interface ArmInstanceView {
  readonly statuses?: readonly { readonly code?: string }[];
  /** By the extension "Application Health". */
  readonly vmHealth?: { readonly status?: { readonly code?: string } };
}

/** A virtual machine, or an instance of a scale set. */
export type ArmMachine = ArmObject<{
  readonly provisioningState?: string;
  readonly virtualMachineScaleSet?: ArmReference;
  readonly instanceView?: ArmInstanceView;
}>;

export type ArmScaleSet = ArmObject<{ readonly orchestrationMode?: string }>;

export type ArmInterface = ArmObject<{
  readonly primary?: boolean;
  readonly virtualMachine?: ArmReference;
  readonly ipConfigurations?: readonly {
    readonly properties?: {
      readonly primary?: boolean;
      readonly privateIPAddress?: string;
      readonly privateIPAddressVersion?: string;
      readonly publicIPAddress?: ArmReference & { readonly properties?: { readonly ipAddress?: string } };
    };
  }[];
}>;

export type ArmPublicAddress = ArmObject<{ readonly ipAddress?: string }>;

/** A machine with its addresses. */
export interface AzureMachine {
  /** In lower case: ids of Azure are compared without case. */
  readonly key: string;
  readonly id: string;
  readonly region: string;
  readonly zone: string | undefined;
  /** Resource id of its scale set, in lower case. */
  readonly scaleSet: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** `running`, `starting`, `stopping`, `stopped`, `deallocating`, `deallocated`; empty: not known. */
  readonly power: string;
  readonly isDeleting: boolean;
  readonly isUnhealthy: boolean;
  readonly privateIp: string | undefined;
  readonly publicIp: string | undefined;
  readonly ipv6: string | undefined;
}

/** What a poll of a subscription reads. */
export interface AzureInventory {
  readonly machines: readonly AzureMachine[];
  /** In lower case, with their tags. */
  readonly scaleSets: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** What was listed of a subscription; machines of uniform scale sets name their set. */
export interface AzureLists {
  readonly machines: readonly { readonly machine: ArmMachine; readonly scaleSet?: string }[];
  /** Run-time states, by machine. */
  readonly states: readonly ArmMachine[];
  readonly scaleSets: readonly ArmScaleSet[];
  readonly interfaces: readonly ArmInterface[];
  readonly publicAddresses: readonly ArmPublicAddress[];
}

export const keyOfId = (id: string): string => id.toLowerCase();

/** Joins machines with their states, network interfaces and public addresses. */
export function joinInventory(lists: AzureLists): AzureInventory {
  const states = new Map(lists.states.map(({ id, properties }) => [keyOfId(id), properties?.instanceView]));
  const publicIps = new Map(lists.publicAddresses.map(({ id, properties }) => [keyOfId(id), properties?.ipAddress]));
  const interfaces = Map.groupBy(lists.interfaces, ({ properties }) => keyOfId(properties?.virtualMachine?.id ?? ''));
  const machines = lists.machines.map(({ machine, scaleSet }) => {
    const key = keyOfId(machine.id);
    const view = machine.properties?.instanceView ?? states.get(key);
    const own = scaleSet ?? machine.properties?.virtualMachineScaleSet?.id;
    return {
      ...{ key, id: machine.id, region: machine.location ?? '', zone: machine.zones?.[0], tags: machine.tags ?? {} },
      scaleSet: own === undefined ? undefined : keyOfId(own),
      ...stateOf(machine, view),
      ...addressesOf(interfaces.get(key) ?? [], publicIps),
    };
  });
  return { machines, scaleSets: new Map(lists.scaleSets.map(({ id, tags = {} }) => [keyOfId(id), tags])) };
}

function stateOf({ properties }: ArmMachine, view: ArmInstanceView | undefined) {
  const codes = (view?.statuses ?? []).map(({ code = '' }) => code);
  return {
    power: codes.find(code => code.startsWith('PowerState/'))?.slice('PowerState/'.length) ?? '',
    isDeleting: properties?.provisioningState === 'Deleting',
    isUnhealthy: view?.vmHealth?.status?.code === 'HealthState/unhealthy',
  };
}

/** Those of the primary configuration of the primary interface come first. */
function addressesOf(interfaces: readonly ArmInterface[], publicIps: ReadonlyMap<string, string | undefined>) {
  const configurations = interfaces
    .toSorted((a, b) => Number(b.properties?.primary ?? false) - Number(a.properties?.primary ?? false))
    .flatMap(({ properties }) => properties?.ipConfigurations ?? [])
    .map(({ properties = {} }) => properties);
  const ofVersion = (version: string) =>
    configurations
      .filter(({ privateIPAddressVersion = 'IPv4' }) => privateIPAddressVersion === version)
      .toSorted((a, b) => Number(b.primary ?? false) - Number(a.primary ?? false))
      .find(({ privateIPAddress }) => privateIPAddress)?.privateIPAddress;
  const publicIp = configurations
    .flatMap(({ publicIPAddress }) => publicIPAddress ?? [])
    .map(({ id, properties }) => properties?.ipAddress ?? publicIps.get(keyOfId(id ?? '')))
    .find(address => address);
  return { privateIp: ofVersion('IPv4'), ipv6: ofVersion('IPv6'), publicIp };
}
