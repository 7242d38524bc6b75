// Starts a landscape whose meshes also read endpoints from inventories/<mesh>.json; flags as for `chandlery up`.
import { defaultEndpointsProviders } from '@chandlery/mesh';
import { up } from '@chandlery/server';
import { fileEndpoints } from './file-endpoints.ts';

await up(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  print: text => console.log(text),
  endpointsProviders: [...defaultEndpointsProviders, fileEndpoints('inventories')],
});
