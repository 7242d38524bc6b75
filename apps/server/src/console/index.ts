export { ConsoleBuild } from './console-build.ts';
export { addConsoleRoutes } from './console-routes.ts';
export { addLandscapeRoute } from './landscape-document.ts';
export { SignInCodes } from './sign-in-codes.ts';
export { addSignInRoutes } from './sign-in-routes.ts';
