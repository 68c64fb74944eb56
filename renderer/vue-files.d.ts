// For tools that do not read .vue files (ESLint); vue-tsc checks the components themselves.
declare module '*.vue' {
  import type { Component } from 'vue'

  const component: Component
  export default component
}
