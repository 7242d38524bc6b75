import { builtIn } from './built-in.ts';
import { age, text } from './columns/columns.ts';
import { firstFew } from './columns/format.ts';
import { listAt, numberAt, textAt } from './columns/read.ts';
import { list, string } from './message.ts';
import { endpoint, slicePort } from './messages/endpoint-slice.ts';

const portsOf = (slice: unknown): readonly string[] =>
  listAt(slice, 'ports').map(port => (numberAt(port, 'port') === 0 ? '*' : String(numberAt(port, 'port'))));

const addressesOf = (slice: unknown): readonly string[] =>
  listAt(slice, 'endpoints').flatMap(item => listAt(item, 'addresses').map(String));

/** Some of the endpoints of a service. */
export const endpointSlice = builtIn({
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  scope: 'Namespaced',
  revisionDays: 0,
  description: 'Some of the endpoints of a service.',
  fields: {
    endpoints: list(2, endpoint, 'The endpoints.'),
    ports: list(3, slicePort, 'Their ports.'),
    addressType: string(4, 'Form of the addresses; cannot be changed.', {
      required: true,
      enum: ['FQDN', 'IPv4', 'IPv6'],
    }),
  },
  columns: [
    text('AddressType', object => textAt(object, 'addressType')),
    text('Ports', object => firstFew(portsOf(object), '<unset>')),
    text('Endpoints', object => firstFew(addressesOf(object), '<unset>')),
    age,
  ],
});
