import { fleetError } from '../../../errors.ts';
import { productNames } from '../../../model/product-names.ts';
import { type FieldReader, fieldsOf } from '../body-fields.ts';
import { type FleetResponse, type OperatorCall, ok } from '../call.ts';
import type { HandlerDeps, TokenOrder } from '../facade-deps.ts';
import { listEnvelope } from '../lists/paging.ts';

type Deps = Pick<HandlerDeps, 'products' | 'configurator' | 'landscapeTokens'>;

const minTokenSeconds = 60;
const maxTokenSeconds = 30 * 24 * 3600;

/** Handlers for operators of the landscape: products, their configuration, and tokens of the landscape's own issuer. */
export const landscapeHandlers = ({ products, configurator, landscapeTokens }: Deps) => ({
  listProducts: async (): Promise<FleetResponse> => {
    const items = [...products.all()].map(({ row }) => {
      const { base } = productNames({ id: row.id, kind: row.spec.kind });
      return { id: row.id, kind: 'Product', href: base, instance_kind: row.spec.kind };
    });
    return ok(listEnvelope('ProductList', { page: 1, total: items.length, items }));
  },

  putConfiguration: async (call: OperatorCall): Promise<FleetResponse> => {
    return ok(await configurator.configure(await call.readBody(), call.username));
  },

  /** Of one product; default `dinosaurs`. */
  getConfiguration: async ({ query }: OperatorCall): Promise<FleetResponse> => {
    const product = query.get('product') ?? 'dinosaurs';
    const document = configurator.documentOf(product);
    if (document === undefined) throw fleetError(7, `No product '${product}' exists`);
    return ok(document);
  },

  issueToken: async (call: OperatorCall): Promise<FleetResponse> => {
    const { token, expirationTimestamp } = landscapeTokens.issue(readOrder(fieldsOf(await call.readBody())));
    return {
      status: 201,
      body: { kind: 'Token', token, expires_at: expirationTimestamp, issuer: landscapeTokens.issuer },
    };
  },
});

function readOrder(fields: FieldReader): TokenOrder {
  const username = fields.text('username') ?? '';
  if (username === '') throw fleetError(37, 'username must not be empty');
  return {
    username,
    organisation: fields.text('organisation'),
    accountId: fields.text('account_id'),
    isOrganisationAdmin: fields.flag('is_org_admin') ?? false,
    roles: fields.texts('roles') ?? [],
    clusterId: fields.text('cluster_id'),
    expirationSeconds: readLifetime(fields.number('expiration_seconds')),
  };
}

function readLifetime(seconds: number | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  if (Number.isInteger(seconds) && seconds >= minTokenSeconds && seconds <= maxTokenSeconds) return seconds;
  throw fleetError(37, `expiration_seconds must be an integer from ${minTokenSeconds} to ${maxTokenSeconds}`);
}
