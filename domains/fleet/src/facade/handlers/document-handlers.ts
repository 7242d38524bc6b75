import { fleetError, fleetErrorCodes, type ListedErrorCode } from '../../errors.ts';
import type { ProductNames } from '../../model/product-names.ts';
import { type FleetResponse, ok, type ProductCall } from './call.ts';
import { pageOf, readPaging } from './lists/paging.ts';

/** Handlers of what is known of a product's API without authentication. */
export const documentHandlers = {
  api: async ({ names }: ProductCall): Promise<FleetResponse> => {
    const version = { id: 'v1', kind: 'APIVersion', href: names.base, collections: collectionsOf(names) };
    return ok({ id: `${names.collection}_mgmt`, kind: 'API', href: names.root, versions: [version] });
  },

  version: async ({ names }: ProductCall): Promise<FleetResponse> => {
    return ok({ id: 'v1', kind: 'APIVersion', href: names.base, collections: collectionsOf(names) });
  },

  errors: async ({ names, query }: ProductCall): Promise<FleetResponse> => {
    const numbers = Object.keys(fleetErrorCodes)
      .map(Number)
      .sort((one, other) => one - other);
    const items = numbers.map(number => presentError(number as ListedErrorCode, names));
    return ok(pageOf('ErrorList', items, readPaging(query)));
  },

  error: async ({ names, params }: ProductCall): Promise<FleetResponse> => {
    const id = params['id'] ?? '';
    if (!Object.hasOwn(fleetErrorCodes, id)) throw fleetError(7, `No error with id '${id}' exists`);
    return ok(presentError(Number(id) as ListedErrorCode, names));
  },
};

const collectionsOf = ({ base, collection, kind }: ProductNames): readonly object[] => [
  { id: collection, kind: `${kind}List`, href: `${base}/${collection}` },
  { id: 'cloud_providers', kind: 'CloudProviderList', href: `${base}/cloud_providers` },
  { id: 'errors', kind: 'ErrorList', href: `${base}/errors` },
];

/** An entry of the catalogue of errors. */
export const presentError = (number: ListedErrorCode, { base, errorPrefix }: ProductNames) => ({
  id: String(number),
  kind: 'Error',
  href: `${base}/errors/${number}`,
  code: `${errorPrefix}-${number}`,
  reason: fleetErrorCodes[number].reason,
});
