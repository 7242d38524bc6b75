import type { FleetExtension, InstanceStep } from '@chandlery/fleet';

/** Where a product gets its licences: replace it with a client of your own. */
export interface LicenceOffice {
  /** Returns the licence of an instance, the same one each time; undefined: it is being decided on. */
  request(instanceId: string, organisation: string): Promise<string | undefined>;
  /** Absent is fine. */
  giveBack(instanceId: string): Promise<void>;
}

const licenceKey = 'licence';
const retryMs = 1000;

/** Holds an instance in preparing until it has a licence, and remembers the licence. */
const obtainLicence =
  (office: LicenceOffice): InstanceStep =>
  async (draft): Promise<'continue' | { retryAfterMs: number }> => {
    if (draft.status.extensionData?.[licenceKey] !== undefined) return 'continue';
    const licence = await office.request(draft.id, draft.spec.organisation);
    if (licence === undefined) return { retryAfterMs: retryMs };
    draft.remember(licenceKey, licence);
    return 'continue';
  };

/** Gives the licence back before the instance goes. A failure is tried again until it is given back. */
const giveLicenceBack =
  (office: LicenceOffice): InstanceStep =>
  async (draft): Promise<'continue'> => {
    if (draft.status.state === 'deleting') await office.giveBack(draft.id);
    return 'continue';
  };

/** What the product `dinosaurs` adds to two of the workers. Give it to `openFleet({ extensions })`. */
export const licenceExtensions = (office: LicenceOffice): readonly FleetExtension[] => [
  { product: 'dinosaurs', worker: 'preparing', steps: [obtainLicence(office)] },
  { product: 'dinosaurs', worker: 'deleting', steps: [giveLicenceBack(office)] },
];
