// Serves rooms on port 8081 of this machine, for the user "admin" with the password "secret".
import { createRoomsBroker } from './rooms-broker.ts';

const server = createRoomsBroker({ username: 'admin', password: 'secret' });
server.on('error', error => {
  console.error(`The broker of rooms cannot listen: ${error.message}`);
  process.exitCode = 1;
});
server.listen(8081, '127.0.0.1', () => console.log('The broker of rooms listens on http://127.0.0.1:8081.'));
