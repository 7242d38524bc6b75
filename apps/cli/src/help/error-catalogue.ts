import { fleetErrors } from './errors/fleet-errors.ts';
import { type ErrorEntry, generalErrors } from './errors/general-errors.ts';
import { meshErrors } from './errors/mesh-errors.ts';
import { ordersErrors } from './errors/orders-errors.ts';
import { programErrors } from './errors/program-errors.ts';
import { providerErrors } from './errors/provider-errors.ts';
import { serviceManagerErrors } from './errors/service-manager-errors.ts';

/** Every code with which a command, the server or a program beside it can fail. Scripts may rely on them. */
export const errorCatalogue: Readonly<Record<string, ErrorEntry>> = {
  ...programErrors,
  ...providerErrors,
  ...meshErrors,
  ...fleetErrors,
  ...ordersErrors,
  ...serviceManagerErrors,
  ...generalErrors,
};

/** The entry of a code, in any case; errors of the fleet also as clients see them: `DINOSAURS-MGMT-5`. */
export function errorEntry(code: string): readonly [code: string, entry: ErrorEntry] | undefined {
  const [, number] = /-MGMT-(\d+)$/i.exec(code) ?? [];
  const wanted = (number === undefined ? code : `Fleet${number}`).toLowerCase();
  return Object.entries(errorCatalogue).find(([known]) => known.toLowerCase() === wanted);
}
